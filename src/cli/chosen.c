/* See chosen.h. */
#include "cli/chosen.h"

#include <stdlib.h>

#include "api/api.h"
#include "cli/installation.h"
#include "cli/options.h"
#include "cli/suggest.h"
#include "host/environment.h"

error_t chosen_check_card(const struct cli *cli, const char *origin, const char *text)
{
    struct suggestion nearest = {.word = text};
    char known[200] = "";
    if (api_card(text)) {
        return 0;
    }
    for (size_t i = 0; cli->kind->card_at(i); i++) {
        suggest(&nearest, cli->kind->card_at(i));
    }
    if (nearest.best) {
        return options_refuse(cli, "%s: there is no card '%s'; did you mean %s?", origin, text,
                              nearest.best);
    }
    return options_refuse(cli, "%s: there is no card '%s'; known are %s", origin, text,
                          api_cards(known, sizeof known));
}

static bool choose_card(struct chosen_chips *chosen, const struct cli *cli, const char *wanted)
{
    struct penrose_error error;
    chosen->card = wanted ? wanted : default_card();
    return (wanted || chosen_check_card(cli, "PENROSE_CARD", chosen->card) == 0) &&
           api_plan_card(chosen->card, &chosen->plan, &error) == PENROSE_OK;
}

static bool choose_cluster(struct chosen_chips *chosen, const struct cli *cli, const char *origin)
{
    struct penrose_error error;
    chosen->card = cli->kind->card_at(0);
    return api_plan_file(chosen->cluster, &chosen->plan, &error) == PENROSE_OK ||
           options_refuse(cli, "%s: %s", origin, error.text) == 0;
}

/* Options go before variables, and a file goes before a card. */
bool chosen_find(struct chosen_chips *chosen, const struct cli *cli, const char *card,
                 const char *cluster)
{
    if (card && cluster) {
        options_refuse(cli, "--cluster says which chips there are; leave --card %s out", card);
        return false;
    }
    chosen->cluster = card || cluster ? cluster : host_variable("PENROSE_CLUSTER");
    return chosen->cluster ? choose_cluster(chosen, cli, cluster ? "--cluster" : "PENROSE_CLUSTER")
                           : choose_card(chosen, cli, card);
}

bool chosen_set_environment(const struct chosen_chips *chosen)
{
    return chosen->cluster
               ? unsetenv("PENROSE_CARD") == 0 && setenv("PENROSE_CLUSTER", chosen->cluster, 1) == 0
               : setenv("PENROSE_CARD", chosen->card, 1) == 0 && unsetenv("PENROSE_CLUSTER") == 0;
}

void chosen_tell(const struct chosen_chips *chosen, struct python_command *python)
{
    if (chosen->cluster) {
        python_tell(python, "cluster", "%s", host_variable("PENROSE_CLUSTER"));
        python_tell(python, "chips", "%u", chosen->plan.chips);
    }
    python_tell_installation(python, chosen->card);
}
