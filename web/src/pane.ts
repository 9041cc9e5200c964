// One scene at work: an engine, its stage, and what both say about the last frame.
import { Engine } from './engine';
import { Answer, Binary, Field, Section, Setting, doubles } from './protocol';
import { Stage } from './stage';
import { RAMP } from './surface';
import { Row, short } from './charts';

export type SceneAnswer = Extract<Answer, { type: 'scene' }>;
export type Ready = Extract<Answer, { type: 'ready' }>;

const FIELD_UNITS: Record<Field, string> = { none: '', strain: '', energy: 'J/m³', speed: 'm/s' };
const FIELD_NAMES: Record<Field, string> = { none: '', strain: 'strain', energy: 'elastic energy density', speed: 'speed' };

export class Pane {
    readonly element = document.createElement('div');
    readonly stage: Stage;
    readonly engine: Engine;
    scene: SceneAnswer | null = null;
    settings: Setting[] = [];
    method = '';
    row: Row | null = null;
    ready: Promise<Ready>;
    field: Field = 'none';

    onScene: (scene: SceneAnswer) => void = () => {};
    onRow: (row: Row) => void = () => {};
    onSettings: () => void = () => {};
    onError: (message: string, remedy: string) => void = () => {};
    onNote: (text: string) => void = () => {};
    onStopped: (message: string, remedy: string) => void = () => {};

    private label = document.createElement('div');
    private legend = document.createElement('div');
    private wait = document.createElement('div');
    private names: Ready | null = null;
    private frames: (() => void)[] = [];

    constructor(base: string, theme: 'light' | 'dark', address?: string) {
        const canvas = document.createElement('canvas');
        canvas.tabIndex = 0;
        canvas.setAttribute('role', 'img');
        canvas.setAttribute('aria-label', 'The scene; arrow keys turn the view');
        this.element.className = 'pane';
        this.label.className = 'label';
        this.legend.className = 'legend';
        this.legend.hidden = true;
        this.wait.className = 'wait';
        this.wait.textContent = 'Loading the engine …';
        this.element.append(canvas, this.label, this.legend, this.wait);
        document.body.append(this.element); // it needs a size; its owner puts it in its place
        this.stage = new Stage(canvas);
        this.stage.theme(theme);
        this.engine = new Engine(base, address);
        this.engine.onShapes = (shapes) => this.stage.shapes(shapes);
        this.engine.onFrame = (frame) => this.take(frame);
        let isReady: (ready: Ready) => void;
        this.ready = new Promise((done) => (isReady = done));
        this.engine.onAnswer = (answer) => this.hear(answer, isReady);
        this.engine.tell({ type: 'hello' });
    }

    close() {
        this.engine.close();
        this.stage.dispose();
        this.element.remove();
    }

    private hear(answer: Answer, isReady: (ready: Ready) => void) {
        if (answer.type === 'ready') { this.names = answer; isReady(answer); }
        if (answer.type === 'scene') {
            this.scene = answer;
            this.settings = answer.settings;
            this.method = answer.method;
            this.wait.hidden = true;
            this.stage.load(answer.objects, answer.camera);
            this.stage.canvas.setAttribute('aria-label', `${answer.name}: ${answer.description} Arrow keys turn the view.`);
            this.onScene(answer);
        }
        if (answer.type === 'settings') { this.settings = answer.settings; this.method = answer.method; this.onSettings(); }
        if (answer.type === 'error') this.onError(answer.message, answer.remedy);
        if (answer.type === 'stopped') this.onStopped(answer.message, answer.remedy);
        if (answer.type === 'note') this.onNote(answer.text);
    }

    private take(frame: Binary) {
        this.stage.frame(frame, this.field);
        const row: Row = { frame: frame.frame, time: frame.time, ledger: {}, statistics: {} };
        for (const part of frame.parts) {
            if (part.type === Section.LEDGER) doubles(frame, part, 1).forEach((value, i) => (row.ledger[this.names!.ledger[i]] = value));
            if (part.type === Section.STATISTICS) doubles(frame, part, 1).forEach((value, i) => (row.statistics[this.names!.statistics[i]] = value));
        }
        this.row = row;
        this.legend.hidden = this.field === 'none';
        if (this.field !== 'none')
            this.legend.innerHTML = `${FIELD_NAMES[this.field]} 0 <i style="background:linear-gradient(90deg,${RAMP.join(',')})"></i> ${short(this.stage.fieldMost)} ${FIELD_UNITS[this.field]}`;
        this.onRow(row);
        this.frames.splice(0).forEach((done) => done());
    }

    // resolves with the next frame that arrives
    nextFrame(): Promise<void> { return new Promise((done) => this.frames.push(done)); }

    // what stands over the stage: its method, and how it does
    name(shown: boolean) {
        this.label.hidden = !shown;
        if (!shown || !this.row) return;
        const share = 100 * this.row.ledger.share, lost = Math.abs(share) > 10;
        this.label.innerHTML = `<b>${this.method}</b>${short(this.row.ledger.total, 'J')} · <span class="${lost ? 'lost' : ''}">${share >= 0 ? '+' : '−'}${Math.abs(share).toFixed(1)} %</span>`;
    }
}
