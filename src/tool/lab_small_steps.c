// verve lab small-steps: the hanging chain of Macklin 2019, Figures 3 and 4. Stretch over time for n iterations of one step
// and n substeps of one iteration (Figure 3; heavy on the right), the residual at the last frame (Figure 4, left), the force
// of the top constraint over time (right; 190 N is true).
#include "tool/hanging_chain.h"
#include "tool/lab.h"

#define FRAMES 1000
#define EVERY 10
#define STEP 0.03 // s: with it the paper's 322.1 m and 3.2 m come out

static int runChain(LabTable *table, double heavy, int count, bool substeps)
{
    Chain chain;
    bool ok = makeChain(&chain, INFINITY, heavy, 0, 10, 0);
    for (int frame = 1; frame <= FRAMES && ok; ++frame)
    {
        stepChain(&chain, STEP, substeps ? count : 1, substeps ? 1 : count, false, false);
        if (frame % EVERY != 0)
            continue;
        labText(table, heavy > 0 ? "heavy" : "light");
        labText(table, substeps ? "substeps" : "iterations");
        labNumber(table, count);
        labNumber(table, frame);
        labNumber(table, stretch(&chain));
        labNumber(table, chainResidual(&chain));
        labNumber(table, topForce(&chain));
    }
    freeChain(&chain);
    return ok ? EXIT_DONE : EXIT_BAD_INPUT;
}

static int run(LabTable *table, const LabWish *wish)
{
    static const int counts[] = { 1, 2, 5, 10, 20, 50, 100 };
    (void)wish;
    int code = EXIT_DONE;
    labColumns(table, "bottom,division,count,frame,stretch,residual,force");
    for (int i = 0; i < 28 && code == EXIT_DONE; ++i)
        code = runChain(table, i < 14 ? 0 : 1e5, counts[i / 2 % 7], i % 2 == 1);
    return code;
}

const LabPage labSmallSteps = { "small-steps",
                                "a hanging chain: stretch, residual and force by substeps and by iterations", run };
