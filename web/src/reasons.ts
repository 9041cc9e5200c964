// Why a method gains or loses energy, in one sentence.
const LOSES: Record<string, string> = {
    'backward-euler': 'Backward Euler takes the forces at the end of each step, which damps every vibration; the larger the step, the more.',
    'linear-implicit-euler': 'One linear solve per step is backward Euler at its crudest: it damps every vibration.',
    'bdf2': 'BDF2 damps what is fast for its step, though less than backward Euler does.',
    'small-steps': 'Constraints that are projected once per substep act late and lose energy; more substeps lose less.',
    'pbd': 'Position-based dynamics projects positions and forgets what that took: stiffness and damping depend on its iterations.',
    'pd-jacobi': 'Its inner iterations stop before the solution, and the step is backward Euler: both damp.',
    'overdamped': 'Overdamped motion has no inertia: all energy of motion is gone by design.',
    'generalized-alpha': 'Generalized alpha damps what is too fast for its step; spectralRadius says by how much.',
};
const GAINS: Record<string, string> = {
    'forward-euler': 'Forward Euler grows at any step: it follows the tangent outward.',
    'symplectic-euler': 'Symplectic Euler is stable below its step limit only; the stiffest element is too fast for this step.',
    'implicit-midpoint': 'The midpoint rule keeps the energy of linear motion only: on large turns it may gain until it fails.',
    'verlet': 'Verlet is stable below its step limit only; take more substeps.',
};
const EXPLICIT = /euler|rk|runge|verlet|adams|midpoint/;

export function reason(method: string, share: number): string {
    if (share < 0) return LOSES[method] ?? 'Its steps damp what they do not resolve; more substeps lose less.';
    return GAINS[method] ?? (EXPLICIT.test(method)
        ? 'The step is longer than this method allows here; take more substeps, or an implicit method.'
        : 'Its steps do not follow this motion any more; take more substeps.');
}
