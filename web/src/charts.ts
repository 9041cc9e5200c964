// The ledger as curves: energies stacked with the target over them, what the numerics made of it, momenta, the residual
// of the solver, and where the time of a frame went.
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';

const MOST = 900; // frames that are shown

export interface Row { frame: number; time: number; ledger: Record<string, number>; statistics: Record<string, number> }

const ENERGIES = ['contact', 'gravity', 'elastic', 'kinetic'] as const; // from below
const PHASES = ['prepare', 'gradient', 'matrix', 'factor', 'solve', 'line', 'ledger', 'other'] as const;

const empty = (count: number) => Array.from({ length: count }, () => []) as unknown as uPlot.AlignedData;

const css = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// at most four powers of ten between two numbers, for a logarithmic axis
function decades(_plot: uPlot, _axis: number, least: number, most: number): number[] {
    const low = Math.ceil(Math.log10(least) - 1e-9), high = Math.floor(Math.log10(most) + 1e-9), by = Math.max(1, Math.ceil((high - low) / 3));
    return Array.from({ length: Math.max(0, Math.floor((high - low) / by) + 1) }, (_, i) => 10 ** (low + i * by));
}

export function short(value: number, unit = ''): string {
    if (!Number.isFinite(value)) return '–';
    const size = Math.abs(value);
    if (!unit && size > 0 && (size < 1e-2 || size >= 1e6)) return value.toExponential(1);
    const prefix: [number, string][] = [[1e9, 'G'], [1e6, 'M'], [1e3, 'k'], [1, ''], [1e-3, 'm'], [1e-6, 'µ']];
    if (size === 0 || size < 1e-9) return `0${unit ? ` ${unit}` : ''}`;
    const [scale, letter] = (unit ? prefix.find(([s]) => size >= s) : undefined) ?? (unit ? [1e-6, 'µ'] : [1, '']);
    return `${Number((value / (scale as number)).toPrecision(3))}${unit ? ` ${letter}${unit}` : ''}`;
}

export class Charts {
    rows: Row[] = [];               // all since the scene began, for the table
    other: { rows: Row[]; label: string } | null = null; // of the scene beside it
    private plots: { plot: uPlot; data(rows: Row[]): uPlot.AlignedData; values(row: Row): string; note: HTMLElement; box: HTMLElement }[] = [];
    private dirty = false;

    constructor(private place: HTMLElement) {
        this.build();
        new ResizeObserver(() => this.plots.forEach(({ plot }) => plot.setSize({ width: this.width, height: plot.height }))).observe(place);
        const loop = () => { requestAnimationFrame(loop); if (this.dirty) this.refresh(); };
        loop();
    }

    private get width() { return Math.max(this.place.clientWidth, 120); }

    add(row: Row) {
        // a rewind or a reset: what came later did not happen
        while (this.rows.length > 0 && this.rows[this.rows.length - 1].frame >= row.frame) this.rows.pop();
        this.rows.push(row);
        if (this.rows.length > 36000) this.rows.splice(0, 6000);
        this.dirty = true;
    }

    clear() { this.rows = []; this.dirty = true; }

    build() { // anew where colours have changed
        this.plots.forEach(({ plot }) => plot.destroy());
        this.place.replaceChildren();
        this.plots = [];
        this.energy();
        this.numerics();
        this.lines('Momentum', 'kg m/s', 88, (row) => [
            Math.hypot(row.ledger.momentumX, row.ledger.momentumY, row.ledger.momentumZ),
            Math.hypot(row.ledger.angularX, row.ledger.angularY, row.ledger.angularZ)], ['--accent', '--contact'],
            (row) => `|p| ${short(Math.hypot(row.ledger.momentumX, row.ledger.momentumY, row.ledger.momentumZ))} kg m/s, |L| ${short(Math.hypot(row.ledger.angularX, row.ledger.angularY, row.ledger.angularZ))}`);
        this.lines('Residual', 'm', 78, (row) => [row.statistics.residual > 0 ? row.statistics.residual : null], ['--accent'],
            (row) => `${row.statistics.iterations} iterations, ${short(row.statistics.residual, 'm')}`, true);
        this.time();
        this.dirty = true;
    }

    private make(title: string, height: number, options: Partial<uPlot.Options>, data: (rows: Row[]) => uPlot.AlignedData, values: (row: Row) => string) {
        const box = document.createElement('div'), head = document.createElement('h3'), note = document.createElement('span');
        box.className = 'chart';
        head.append(title, note);
        box.append(head);
        this.place.append(box);
        const axis = { stroke: css('--soft'), grid: { stroke: css('--line'), width: 1 }, ticks: { show: false }, font: '11px system-ui', size: 42, gap: 4 };
        const plot = new uPlot({
            width: this.width, height, legend: { show: false }, cursor: { show: false }, padding: [6, 6, 0, 0],
            scales: { x: { time: false }, ...(options.scales ?? {}) },
            axes: [{ ...axis, size: 20, values: (_u, ticks) => ticks.map((t) => `${t}s`) }, {
                ...axis, values: (_u, ticks) => ticks.map((t) => short(t, options.title)), ...(options.scales?.y?.distr === 3 ? { splits: decades, filter: (_u: uPlot, ticks: number[]) => ticks, values: (_u: uPlot, ticks: number[]) => ticks.map((t) => t.toExponential(0)) } : {}),
            }],
            series: options.series as uPlot.Series[], bands: options.bands,
        }, empty(options.series!.length), box);
        plot.root.querySelector('canvas')?.setAttribute('aria-label', `${title} over time`);
        plot.root.setAttribute('role', 'img');
        plot.root.setAttribute('aria-label', `${title} over time; the numbers above say where it stands`);
        this.plots.push({ plot, data, values, note, box });
    }

    private energy() {
        const fill = ENERGIES.map((name) => css(`--${name}`));
        this.make('Energy', 190, {
            title: 'J',
            series: [{}, ...fill.map((colour) => ({ stroke: colour, fill: `${colour}cc`, width: 0.5, points: { show: false } })),
                { stroke: css('--target'), width: 1.4, dash: [5, 3], points: { show: false } }, { stroke: css('--bad'), width: 1.4, points: { show: false } }],
            // each is filled down to the one below it
            bands: [1, 2, 3].map((i) => ({ series: [i + 1, i] as [number, number], fill: `${fill[i]}cc` })),
        }, (rows) => {
            // gravity has no zero of its own: the lowest so far is 0
            const low = Math.min(...this.rows.map((row) => row.ledger.gravity));
            const columns: (number | null)[][] = [rows.map((row) => row.time), [], [], [], [], [], []];
            const beside = new Map(this.other?.rows.map((row) => [row.frame, row]));
            for (const row of rows) {
                let sum = 0;
                ENERGIES.forEach((name, i) => columns[i + 1].push(sum += Math.max(row.ledger[name] - (name === 'gravity' ? low : 0), name === 'elastic' ? -Infinity : 0)));
                columns[5].push(row.ledger.target - low);
                const twin = beside.get(row.frame);
                columns[6].push(twin ? twin.ledger.total - low : null);
            }
            return columns as unknown as uPlot.AlignedData;
        }, (row) => `total ${short(row.ledger.total, 'J')}, target ${short(row.ledger.target, 'J')}`);
    }

    private numerics() {
        this.make('Gained or lost by the numerics', 92, {
            title: '%', series: [{}, { stroke: css('--accent'), width: 1.5, points: { show: false } }, { stroke: css('--bad'), width: 1.5, points: { show: false } }],
            scales: { y: { range: (_u: uPlot, low: number | null, high: number | null): [number, number] => [Math.min(low ?? 0, -2), Math.max(high ?? 0, 2)] } },
        }, (rows) => {
            const beside = new Map(this.other?.rows.map((row) => [row.frame, row]));
            return [rows.map((row) => row.time), rows.map((row) => 100 * row.ledger.share), rows.map((row) => {
                const twin = beside.get(row.frame);
                return twin ? 100 * twin.ledger.share : null;
            })] as unknown as uPlot.AlignedData;
        }, (row) => `${(100 * row.ledger.share).toFixed(2)} %`);
    }

    private lines(title: string, unit: string, height: number, values: (row: Row) => (number | null)[], colours: string[], note: (row: Row) => string, log = false) {
        this.make(title, height, {
            title: log ? '' : unit && '',
            series: [{}, ...colours.map((name) => ({ stroke: css(name), width: 1.3, points: { show: false } }))],
            scales: log ? { y: { distr: 3 } } : {},
        }, (rows) => [rows.map((row) => row.time), ...colours.map((_, i) => rows.map((row) => values(row)[i]))] as unknown as uPlot.AlignedData, note);
    }

    private time() {
        const colours = ['#7a8894', '#3f86c7', '#52a5b5', '#4fa37a', '#c9a23f', '#d9774a', '#b0679f', '#a9b3bb'];
        this.make('Time of a frame', 110, {
            series: [{}, ...PHASES.map((_, i) => ({ stroke: colours[i], fill: `${colours[i]}cc`, width: 0.3, points: { show: false } }))],
            bands: PHASES.slice(1).map((_, i) => ({ series: [i + 2, i + 1] as [number, number], fill: `${colours[i + 1]}cc` })),
        }, (rows) => {
            const columns: number[][] = [rows.map((row) => row.time), ...PHASES.map(() => [] as number[])];
            for (const row of rows) { let sum = 0; PHASES.forEach((name, i) => columns[i + 1].push(sum += row.statistics[name])); }
            return columns as unknown as uPlot.AlignedData;
        }, (row) => {
            const most = PHASES.reduce((a, b) => (row.statistics[b] > row.statistics[a] ? b : a));
            return `${row.statistics.milliseconds.toFixed(2)} ms, most in ${most}`;
        });
    }

    private refresh() {
        if (this.place.offsetParent === null) return; // its panel is not seen
        this.dirty = false;
        const rows = this.rows.slice(-MOST), last = rows[rows.length - 1];
        for (const { plot, data, values, note, box } of this.plots) {
            const columns = rows.length > 1 ? data(rows) : empty(plot.series.length);
            box.hidden = rows.length > 1 && columns.slice(1).every((column) => [...column].every((value) => value === null)); // nothing to show
            plot.setData(columns);
            note.textContent = last ? values(last) : '';
        }
    }

    csv(): string {
        const first = this.rows[0];
        if (!first) return '';
        const names = Object.keys(first.ledger), more = Object.keys(first.statistics);
        const lines = this.rows.map((row) => [row.frame, row.time, ...names.map((n) => row.ledger[n]), ...more.map((n) => row.statistics[n])].join(','));
        return [`frame,time,${names.join(',')},${more.join(',')}`, ...lines, ''].join('\n');
    }
}
