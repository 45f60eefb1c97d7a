#include "unit/run_suite.h"

/* The main of test programs that have none of their own. */
int main(void)
{
    return test_run();
}
