"""The papers whose figures are regenerated, the list of their figures, and the errors that were found in their
texts."""

PAPERS = [
    {
        "key": "dinev",
        "short": "Dinev 2018",
        "name": "Stabilizing Integrators for Real-Time Physics",
        "by": "D. Dinev, T. Liu, L. Kavan, ACM Transactions on Graphics 37(1), 2018",
        "about": "Implicit midpoint keeps the energy of gentle motion and explodes in violent motion; backward Euler "
        "never explodes and "
                 "takes the life out of everything. The paper takes a midpoint step, compares its energy with what it "
                 "should be, and blends "
                 "towards backward (or forward) Euler until the energy fits.",
        "figures": ["%02d" % i for i in range(1, 20)] + ["table-1", "table-2"],
    },
    {
        "key": "bouaziz",
        "short": "Bouaziz 2014",
        "name": "Projective Dynamics: Fusing Constraint Projections for Fast Simulation",
        "by": "S. Bouaziz, S. Martin, T. Liu, L. Kavan, M. Pauly, ACM Transactions on Graphics 33(4), 2014",
        "about": "Elastic energies are written as distances to sets of undeformed shapes. A step of backward Euler "
        "then alternates between "
                 "projections of each element by itself (the local step) and one linear system that never changes "
                 "(the global step).",
        "figures": ["01"] + ["%02d" % i for i in range(3, 13)],
    },
    {
        "key": "macklin",
        "short": "Macklin 2019",
        "name": "Small Steps in Physics Simulation",
        "by": "M. Macklin, K. Storey, M. Lu, P. Terdiman, N. Chentanez, S. Jeschke, M. Müller, Symposium on Computer "
        "Animation 2019",
        "about": "Position-based dynamics with compliance (XPBD) solves a large step with many iterations. The paper "
        "spends the same work on "
                 "many small steps with one iteration each: the error falls with the square of the step.",
        "figures": ["%02d" % i for i in range(1, 10)] + ["table-1"],
    },
    {
        "key": "hauth",
        "short": "Hauth 2004",
        "name": "Numerical Methods for Deformable Models (tutorial, Visual Simulation of Deformable Models)",
        "by": "M. Hauth, Eurographics tutorial, 2004",
        "about": "The classical methods for ordinary differential equations, seen by someone who wants to simulate "
        "cloth: order, stability, "
                 "stiffness, and what an error costs.",
        "figures": ["01", "02", "03", "04", "05", "07", "08"],
    },
    {
        "key": "joubert",
        "short": "Joubert",
        "name": "Notes on Physically Based Animation",
        "by": "N. Joubert, lecture notes",
        "about": "A first course: a ball, a spring, explicit and implicit integration, and why one of them explodes.",
        "figures": ["%02d" % i for i in range(1, 9)],
    },
    {
        "key": "verve",
        "short": "Ours",
        "name": "Comparisons of our own",
        "by": "Verve",
        "about": "What none of the papers shows: every method on the same scenes, at equal cost and at equal error; "
        "whether materials keep their "
                 "promise; contact under every method.",
        "figures": ["energy", "material", "contact"],
    },
]

# Figures without a driver: the reason, as the report states it.
MISSING = {}

# What the texts say, what is right, and how it is known: (paper, place, printed, right, evidence)
ERRATA = [
    ("Dinev 2018", "section 3, Figures 2 and 3", "The energy at the start is around 25,000 J.",
     "E = k/2 (|x|² − 1)² with the printed k = 1e5, m = 0.5, |x| = 1.5, |v| = 10 gives 78,150 J; 25,025 J is that of "
        "k (|x| − 1)².",
     "verve lab dinev --figure fig2, first row"),
    ("Dinev 2018", "Equation 32", "The velocity that damping removes is printed with the sign of ω × r reversed.",
     "v − v_cm − ω × r. As printed, a rigid spin of damping k decays by 1 − 2k a frame.", "ctest rigid_damping"),
    ("Dinev 2018", "Equation 39", "Friction is a share of the part of the contact force in the tangent plane.",
     "That part is zero by Equation 38, whose force is along the normal. Coulomb's law, limited by the tangential "
        "velocity, is meant.",
     "Figure 14 here: slides and sticks as Coulomb says"),
    ("Dinev 2018", "Algorithm 1", "No branch for an energy error within the tolerance: the new state is not assigned.",
     "The midpoint step is accepted; this dead band keeps blending rare.", "ctest integrate_printed"),
    ("Dinev 2018", "Equation 24", "The tolerance is a share of the total energy.",
     "With gravity that depends on where heights are counted from: where H ≤ 0 every step is blended. A share of the "
        "energy of motion is meant.",
     "docs/stabilized.md, The paper's algorithm"),
    ("Dinev 2018", "appendix C", "“E_test(0) = 0” in the counterexample.", "E′_test(0) = 0; E_test(0) = 0.1716 k.",
     "verve lab dinev --figure fig17"),
    ("Bouaziz 2014", "section 4.2, Equation 14", "The weights of Jacobi's iteration are those of edges.",
     "For other constraints they describe another material, which depends on the mesh. We keep the material: D = M (1 "
        "+ h² Σ w).",
     "docs/notes/projective.md, Comparators"),
    ("Macklin 2019", "section 6.1", "The step of the frame is not stated for the chain of 322.1 m and 3.2 m.",
     "Both numbers come out, to the digits printed, with g = 10 m/s² and a frame of 0.03 s.", "Figure 3 here"),
    ("Hauth 2004", "example 2", "Figure 5(c) is labelled y″ = −5y′ − 5y, the text has another equation.",
     "y″ = −2.5 y − 5 y′ fits the eigenvalues of the text.", "verve ode --problem hauth-2"),
    ("Hauth 2004", "Equation 48", "f without the factor h.", "h f.", "ctest lab_ode_reference"),
    ("Hauth 2004", "section 2.1", "The matrix of an explicit Runge-Kutta method is strictly upper triangular.",
        "Strictly lower.",
     "tableaus of verve ode --tableau"),
    ("Hauth 2004", "section 2.5", "Verlet's method with the damping of the last half step stays of second order.",
     "It falls to first order where there is damping; the mean of both half steps keeps the second.",
     "verve lab orders --problem hauth-3: verlet 2, verlet-lagged 1"),
    ("Hauth 2004", "Equation 54", "The SSOR preconditioner lacks the inverse of the diagonal.", "(D − L) D⁻¹ (D − Lᵀ).",
     "ctest linear"),
]


def entries():
    return ["%s-%s" % (p["key"], f) for p in PAPERS for f in p["figures"]]


def where(entry):
    key, rest = entry.split("-", 1)
    if key == "verve":
        return {"energy": "Energy kept against cost", "material": "The material contract",
                "contact": "Contact under every method"}[rest]
    return "Table %s" % rest.split("-")[1] if rest.startswith("table") else "Figure %d" % int(rest)


# ---- the kept numbers, without anything but Python ------------------------------------------------------------------


MARKS = ("<!-- verdicts: written by figures/make.py --keep -->", "<!-- end of verdicts -->")


def verdict_table(verdicts):
    """The table of docs/figures.md: verdicts is {entry: verdict}."""
    lines = ["| paper | reproduced | with a difference | not reproduced |", "| --- | --- | --- | --- |"]
    for paper in PAPERS:
        cells = {"reproduced": [], "with a difference": [], "not reproduced": []}
        for name in paper["figures"]:
            entry = "%s-%s" % (paper["key"], name)
            cells[verdicts.get(entry, "not reproduced")].append(where(entry).replace("Figure ", ""))
        lines.append("| %s | %s |" % (paper["short"], " | ".join(", ".join(v) or "–" for v in cells.values())))
    return "\n".join(lines)


def with_table(page, verdicts):
    """The page with the table between its marks."""
    before, rest = page.split(MARKS[0])
    return before + MARKS[0] + "\n\n" + verdict_table(verdicts) + "\n\n" + MARKS[1] + rest.split(MARKS[1])[1]
