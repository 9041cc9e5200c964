// The page: gallery, workshop, and what leads from one to the other.
import './style.css';
import { Charts, Row, short } from './charts';
import { EngineError, fetchAhead } from './engine';
import { Hands, TOOLS, Tool } from './hands';
import { Pane } from './pane';
import { Field, Value } from './protocol';
import { reason } from './reasons';
import { SettingsPanel } from './settings';
import { Place, readAddress, writeAddress } from './address';

interface Card { name: string; title: string; description: string; picture: string; file: string; files: string[] }
interface Where { socket?: string }

const at = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;
const base = new URL('.', document.baseURI).href;

// ---- messages -------------------------------------------------------------------------------------------------------

function toast(message: string, remedy = '', kind: 'error' | 'note' = 'error') {
    const box = document.createElement('div'), close = document.createElement('button'), more = document.createElement('p');
    box.className = `toast ${kind}`;
    close.textContent = '×';
    close.setAttribute('aria-label', 'Close this message');
    close.onclick = () => box.remove();
    more.textContent = remedy;
    box.append(message, ...(remedy ? [more] : []), close);
    const place = at('toasts');
    place.append(box);
    while (place.childElementCount > 4) place.firstElementChild?.remove();
    setTimeout(() => box.remove(), kind === 'note' ? 6000 : 30000);
}

function failed(error: unknown) {
    if (error instanceof EngineError) toast(error.message, error.remedy);
    else toast(String(error));
}

const say = (text: string) => (at('spoken').textContent = text);

// ---- what the browser can do ----------------------------------------------------------------------------------------

// a module with one vector instruction
const SIMD = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11]);

function missing(): string | null {
    if (typeof WebAssembly !== 'object') return 'WebAssembly, in which the physics runs';
    if (!WebAssembly.validate(SIMD)) return 'vector instructions of WebAssembly (SIMD)';
    if (!document.createElement('canvas').getContext('webgl2')) return 'WebGL 2, with which the scene is drawn';
    return null;
}

function wall(what: string) {
    const words = document.createElement('p');
    words.className = 'wall';
    words.textContent = `This browser lacks ${what}. Any current Chrome, Edge, Firefox or Safari (16.4 or later) has it; on a machine without a graphics card, allow software rendering.`;
    document.querySelectorAll('main').forEach((main) => main.remove());
    document.body.append(words);
}

// ---- the workshop ---------------------------------------------------------------------------------------------------

class Workshop {
    panes: Pane[] = [];
    playing = false;
    slow = false;
    charts = new Charts(at('charts'));
    beside: Row[] = [];
    settings = new SettingsPanel(at('panel-method'));
    hands = new Hands(() => this.panes, at('force'), failed);
    place: Place = { scene: null, text: null, sets: [], beside: null };
    recording = false;
    private text = '';
    private files = new Map<string, Uint8Array>();
    private socket: string | undefined;
    private turn = 0; // of playing two panes in step

    async start(where: Where) {
        this.socket = where.socket ? new URL(where.socket, base).href.replace(/^http/, 'ws') : undefined;
        this.wire();
    }

    get native() { return this.socket !== undefined; }

    private async pane(): Promise<Pane> {
        const theme = document.documentElement.dataset.theme as 'light' | 'dark';
        const pane = new Pane(base, theme, this.socket);
        at('stages').append(pane.element);
        pane.stage.resize();
        pane.onError = (message, remedy) => toast(message, remedy);
        pane.onNote = (text) => toast(text, '', 'note');
        pane.onStopped = (message, remedy) => { this.play(false); toast(message, remedy); };
        pane.engine.onFile = (name, content) => save(name, content);
        this.hands.attach(pane);
        await pane.ready;
        return pane;
    }

    private async firstPane(): Promise<Pane> {
        if (this.panes.length > 0) return this.panes[0];
        const pane = await this.pane();
        this.panes = [pane];
        pane.onScene = (scene) => {
            at('title').textContent = scene.name;
            at('subtitle').textContent = scene.description;
            at('about').textContent = `${scene.description} ${scene.vertices.toLocaleString('en')} vertices and particles, ${scene.elements.toLocaleString('en')} elements, ${short(scene.mass)} kg; a frame is ${short(scene.timestep, 's')}.`;
            document.title = `${scene.name} – Verve`;
            this.charts.clear();
            this.settings.show(pane.settings);
        };
        pane.onSettings = () => this.settings.show(pane.settings);
        pane.onRow = (row) => this.show(pane, row);
        const ready = await pane.ready, formats = at('formats'), many = ready.threads > 1;
        const alone = !many && !self.crossOriginIsolated ? ': this page is not cross-origin isolated' : '';
        at('engine').textContent = `${ready.engine === 'native' ? 'Native engine' : 'WebAssembly'}, ${ready.threads} ${many ? 'threads' : `thread${alone}`}`;
        for (const format of ready.recordFormats) {
            const label = document.createElement('label');
            label.className = 'check';
            label.innerHTML = `<input type="checkbox" value="${format}" ${format === 'glb' ? 'checked' : ''}> ${format.toUpperCase()}`;
            formats.append(label);
        }
        for (const unit of ready.units) at<HTMLSelectElement>('import-unit').append(new Option(unit, unit, unit === 'm', unit === 'm'));
        return pane;
    }

    // a scene by its text; `files` are the meshes that it names
    async open(text: string, files: Map<string, Uint8Array>, place: Place) {
        show('workshop');
        const pane = await this.firstPane();
        await this.unpair();
        for (const [name, content] of files) await pane.engine.upload(name, content);
        await pane.engine.ask({ type: 'load', scene: text, set: place.sets });
        this.text = text;
        this.files = files;
        this.place = { ...place, sets: [...place.sets] };
        this.playing = false;
        if (place.beside) await this.pair(place.beside);
        this.play(!new URLSearchParams(location.search).has('paused'));
        say(`${pane.scene?.name}: ${pane.scene?.description}`);
    }

    // ---- time -------------------------------------------------------------------------------------------------------

    play(on: boolean) {
        this.playing = on;
        const button = at('play');
        button.setAttribute('aria-label', on ? 'Pause' : 'Play');
        button.title = `${on ? 'Pause' : 'Play'} (Space)`;
        button.innerHTML = on ? '<svg viewBox="0 0 24 24"><path d="M8 5v14M16 5v14" stroke-width="4"/></svg>' : '<svg viewBox="0 0 24 24"><path d="M7 4v16l13-8z"/></svg>';
        this.turn += 1;
        if (this.panes.length > 1) {
            this.panes.forEach((pane) => pane.engine.tell({ type: 'pause' }));
            if (on) void this.together(this.turn);
        } else this.panes[0]?.engine.tell(on ? { type: 'play', speed: this.slow ? 0.25 : 1 } : { type: 'pause' });
    }

    // two panes take frame by frame, each after both have the last one
    private async together(turn: number) {
        let due = performance.now();
        while (turn === this.turn && this.panes.length > 1) {
            const step = 1000 * (this.panes[0].scene?.timestep ?? 1 / 60) * (this.slow ? 4 : 1);
            await this.stepAll();
            due = Math.max(due + step, performance.now() - 3 * step);
            const wait = due - performance.now();
            if (wait > 1) await new Promise((done) => setTimeout(done, wait));
        }
    }

    private stepAll(count = 1) {
        return Promise.all(this.panes.map((pane) => {
            const seen = pane.nextFrame();
            return pane.engine.ask({ type: 'step', count }).then(() => seen, failed);
        }));
    }

    step() { this.play(false); void this.stepAll(); }
    reset() { this.panes.forEach((pane) => pane.engine.ask({ type: 'reset' }).catch(failed)); this.charts.clear(); this.beside = []; if (this.playing) this.play(true); }
    rewind() { this.panes.forEach((pane) => pane.engine.ask({ type: 'rewind', seconds: 1 }).catch(failed)); }
    setSlow(on: boolean) { this.slow = on; at('slow').setAttribute('aria-pressed', String(on)); if (this.playing) this.play(true); }

    // ---- what the frame says ------------------------------------------------------------------------------------------

    private show(pane: Pane, row: Row) {
        this.charts.add(row);
        this.hands.showForce(pane);
        at('clock').textContent = `${row.time.toFixed(2)} s`;
        pane.name(this.panes.length > 1);
        if (this.figuresDue) return;
        this.figuresDue = true;
        setTimeout(() => { this.figuresDue = false; if (pane.row) this.figures(pane.row); }, 120);
    }
    private figuresDue = false;

    private figures(row: Row) {
        const { ledger } = row, low = Math.min(...this.charts.rows.map((each) => each.ledger.gravity), ledger.gravity);
        const entries: [string, string, string?][] = [
            ['kinetic', short(ledger.kinetic, 'J'), '--kinetic'], ['added', short(ledger.added, 'J')],
            ['elastic', short(ledger.elastic, 'J'), '--elastic'], ['dissipated', short(ledger.dissipated, 'J')],
            ['gravity', short(ledger.gravity - low, 'J'), '--gravity'], ['numerical', short(ledger.numerical, 'J')],
            ['contact', short(ledger.contact, 'J'), '--contact'], ['of exchanged', `${(100 * ledger.share).toFixed(2)} %`],
        ];
        at('figures').replaceChildren(...entries.map(([name, value, dot]) => {
            const box = document.createElement('div');
            box.innerHTML = `<dt${dot ? ` style="--dot: var(${dot})"` : ''}>${name}</dt><dd>${value}</dd>`;
            return box;
        }));
        this.judge();
    }

    // the badge: who is more than a tenth off, and why
    private judge() {
        const badge = at('badge'), off = this.panes.filter((pane) => pane.row && Math.abs(pane.row.ledger.share) > 0.1);
        const words = off.map((pane) => {
            const share = pane.row!.ledger.share;
            return `<b>${pane.method} has ${share < 0 ? 'lost' : 'gained'} ${Math.abs(100 * share).toFixed(0)} % of the energy</b>${reason(pane.method, share)}`;
        });
        if (off.length > 0 && badge.hidden) say(`${off[0].method} has ${off[0].row!.ledger.share < 0 ? 'lost' : 'gained'} more than a tenth of the energy`);
        badge.hidden = off.length === 0;
        badge.innerHTML = words.join('<br>');
    }

    // ---- settings -----------------------------------------------------------------------------------------------------

    async set(path: string, value: Value) {
        const pane = this.panes[0];
        try {
            const did = await pane.engine.ask({ type: 'set', path, value });
            const word = `${path}=${JSON.stringify(value)}`;
            this.place.sets = [...this.place.sets.filter((each) => !each.startsWith(`${path}=`)), word];
            if (did.kept === false) { this.charts.clear(); toast('The scene began again: this cannot be changed while it runs.', '', 'note'); if (this.playing) this.play(true); }
            // what is no matter of the method holds for both
            if (this.panes[1] && path !== 'integrator.method') await this.panes[1].engine.ask({ type: 'set', path, value });
        } catch (error) {
            failed(error);
            this.settings.show(pane.settings);
        }
    }

    // ---- two methods --------------------------------------------------------------------------------------------------

    async pair(method = 'backward-euler') {
        const first = this.panes[0], was = this.playing;
        if (!first || this.panes.length > 1) return;
        this.play(false);
        const second = await this.pane();
        this.panes = [first, second];
        at('stages').classList.add('two');
        at('pair').setAttribute('aria-pressed', 'true');
        for (const [name, content] of this.files) await second.engine.upload(name, content);
        const own = this.place.sets.filter((set) => !set.startsWith('integrator.method='));
        second.onRow = (row) => { while (this.beside.length > 0 && this.beside[this.beside.length - 1].frame >= row.frame) this.beside.pop(); this.beside.push(row); second.name(true); };
        second.field = first.field;
        try {
            await second.engine.ask({ type: 'load', scene: this.text, set: [...own, `integrator.method="${method}"`] });
            await second.engine.ask({ type: 'show', field: first.field, ...this.arrows });
            await first.engine.ask({ type: 'reset' });
        } catch (error) {
            failed(error);
            await this.unpair();
            return;
        }
        this.charts.clear();
        this.charts.other = { rows: this.beside, label: method };
        this.place.beside = method;
        first.stage.resize();
        first.stage.fit();
        second.stage.copyCamera(first.stage);
        this.choose(second, method);
        if (was) this.play(true);
    }

    // the method of the second stage, over it
    private choose(pane: Pane, method: string) {
        const select = document.createElement('select');
        select.setAttribute('aria-label', 'Method of the second stage');
        select.style.cssText = 'position:absolute;left:1rem;top:3.6rem';
        for (const word of pane.settings.find((setting) => setting.path === 'integrator.method')?.words ?? []) select.append(new Option(word, word, false, word === method));
        select.onchange = () => pane.engine.ask({ type: 'set', path: 'integrator.method', value: select.value }).then(() => (this.place.beside = select.value), failed);
        pane.element.append(select);
    }

    async unpair() {
        const second = this.panes[1];
        this.place.beside = null;
        this.beside = [];
        this.charts.other = null;
        if (!second) return;
        const was = this.playing;
        this.play(false);
        second.close();
        this.panes = this.panes.slice(0, 1);
        at('stages').classList.remove('two');
        at('pair').setAttribute('aria-pressed', 'false');
        this.panes[0].name(false);
        this.panes[0].stage.resize();
        if (was) this.play(true);
    }

    // ---- files --------------------------------------------------------------------------------------------------------

    async bring(file: File) {
        const name = file.name.replace(/[^A-Za-z0-9_. -]/g, '_'), content = new Uint8Array(await file.arrayBuffer());
        if (/\.json$/i.test(name)) {
            const text = new TextDecoder().decode(content);
            await this.open(text, this.files, { scene: null, text, sets: [], beside: null });
            return;
        }
        const pane = await this.firstPane(), dialog = at<HTMLDialogElement>('import');
        await pane.engine.upload(name, content);
        if (/\.(mtl|bin|png|jpe?g|ele|node)$/i.test(name)) return; // goes with another file
        at('import-name').textContent = `${file.name}, ${short(content.length, 'B')}`;
        dialog.showModal();
        await new Promise((done) => (dialog.onclose = done));
        if (dialog.returnValue !== 'ok') return;
        const did = await pane.engine.ask({
            type: 'import', file: name, unit: at<HTMLSelectElement>('import-unit').value, solid: at<HTMLInputElement>('import-solid').checked,
        });
        await this.open(did.scene as string, new Map([[name, content]]), { scene: null, text: did.scene as string, sets: [], beside: null });
    }

    async record() {
        const button = at('record'), formats = [...document.querySelectorAll<HTMLInputElement>('#formats input:checked')].map((input) => input.value).join(',');
        try {
            const did = await this.panes[0].engine.ask({ type: 'record', formats: this.recording ? '' : formats });
            this.recording = !this.recording;
            button.textContent = this.recording ? 'Stop and download' : 'Record';
            button.classList.toggle('live', this.recording);
            if (!this.recording) toast(`${did.frames} frames recorded`, '', 'note');
        } catch (error) { this.recording = false; failed(error); }
    }

    private get arrows() { return { contacts: at<HTMLInputElement>('show-contacts').checked, forces: at<HTMLInputElement>('show-forces').checked }; }

    field(field: Field) { this.panes.forEach((pane) => { pane.field = field; pane.engine.ask({ type: 'show', field }).catch(failed); }); }

    // ---- buttons and keys ---------------------------------------------------------------------------------------------

    private wire() {
        at('play').onclick = () => this.play(!this.playing);
        at('step').onclick = () => this.step();
        at('reset').onclick = () => this.reset();
        at('rewind').onclick = () => this.rewind();
        at('slow').onclick = () => this.setSlow(!this.slow);
        at('fit').onclick = () => this.panes.forEach((pane) => pane.stage.fit());
        at('pair').onclick = () => void (this.panes.length > 1 ? this.unpair() : this.pair());
        at('record').onclick = () => void this.record();
        at('save-scene').onclick = () => this.panes[0].engine.ask({ type: 'export' }).catch(failed);
        at('save-ledger').onclick = () => save(`${this.panes[0].scene?.name ?? 'ledger'}.csv`, new TextEncoder().encode(this.charts.csv()));
        at('save-picture').onclick = () => this.panes[0].stage.canvas.toBlob(async (blob) => blob && save(`${this.panes[0].scene?.name}.png`, new Uint8Array(await blob.arrayBuffer())));
        at('share').onclick = async () => {
            const address = new URL(await writeAddress(this.place), location.href).href;
            history.replaceState(null, '', address);
            await navigator.clipboard?.writeText(address).catch(() => {});
            toast('The link to this scene and its settings is copied.', this.place.text ? 'Meshes of your own are not part of it.' : '', 'note');
        };
        for (const id of ['show-contacts', 'show-forces'])
            at(id).onchange = () => this.panes.forEach((pane) => pane.engine.ask({ type: 'show', ...this.arrows }).catch(failed));
        for (const field of ['none', 'strain', 'energy', 'speed'] as Field[]) {
            const label = document.createElement('label');
            label.className = 'check';
            label.innerHTML = `<input type="radio" name="field" value="${field}" ${field === 'none' ? 'checked' : ''}> ${{ none: 'Bodies', strain: 'Strain', energy: 'Elastic energy', speed: 'Speed' }[field]}`;
            label.querySelector('input')!.onchange = () => this.field(field);
            at('fields').append(label);
        }
        this.settings.onSet = (path, value) => void this.set(path, value);
        for (const tool of TOOLS) {
            const button = document.createElement('button');
            button.setAttribute('role', 'radio');
            button.dataset.tool = tool.name;
            button.title = `${tool.title} (${tool.key})`;
            button.setAttribute('aria-label', tool.title);
            button.innerHTML = `<svg viewBox="0 0 24 24"><path d="${tool.path}"/></svg><span>${tool.title}</span>`;
            button.onclick = () => this.use(tool.name);
            at('tools').append(button);
        }
        this.use('grab');
        addEventListener('keydown', (event) => this.key(event));
    }

    use(tool: Tool) {
        this.hands.tool = tool;
        document.querySelectorAll<HTMLElement>('#tools button').forEach((button) => button.setAttribute('aria-checked', String(button.dataset.tool === tool)));
    }

    private key(event: KeyboardEvent) {
        const target = event.target as HTMLElement;
        if (at('workshop').hidden || event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName)) return;
        const turns: Record<string, [number, number]> = { ArrowLeft: [-5, 0], ArrowRight: [5, 0], ArrowUp: [0, 5], ArrowDown: [0, -5] };
        const tool = TOOLS.find((each) => each.key === event.key);
        if (event.key === ' ' && target.tagName !== 'BUTTON') this.play(!this.playing);
        else if (event.key === '.') this.step();
        else if (event.key === ',') this.rewind();
        else if (event.key === 'r') this.reset();
        else if (event.key === 's') this.setSlow(!this.slow);
        else if (event.key === 'c') void (this.panes.length > 1 ? this.unpair() : this.pair());
        else if (tool) this.use(tool.name);
        else if (event.key in turns && target.getAttribute('role') !== 'tab') this.panes.slice(0, 1).forEach((pane) => pane.stage.turn(...turns[event.key]));
        else return;
        event.preventDefault();
    }

    theme(name: 'light' | 'dark') {
        this.panes.forEach((pane) => pane.stage.theme(name));
        this.charts.build();
    }
}

function save(name: string, content: Uint8Array) {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([content as BlobPart]));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

// ---- gallery and address --------------------------------------------------------------------------------------------

function show(which: 'gallery' | 'workshop') {
    at('gallery').hidden = which !== 'gallery';
    at('workshop').hidden = which !== 'workshop';
    document.querySelectorAll<HTMLElement>('.stage-only').forEach((each) => (each.hidden = which === 'gallery'));
    if (which === 'gallery') {
        at('title').textContent = 'Soft-body physics that keeps its energy';
        at('subtitle').textContent = '';
        document.title = 'Verve';
    }
}

function tabs() {
    const all = [...document.querySelectorAll<HTMLButtonElement>('[role="tab"]')];
    const choose = (tab: HTMLButtonElement) => all.forEach((each) => {
        each.setAttribute('aria-selected', String(each === tab));
        each.tabIndex = each === tab ? 0 : -1;
        at(each.getAttribute('aria-controls')!).hidden = each !== tab;
    });
    all.forEach((tab, i) => {
        tab.onclick = () => choose(tab);
        tab.onkeydown = (event) => {
            const next = all[(i + (event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? all.length - 1 : 0)) % all.length];
            if (next !== tab) { choose(next); next.focus(); }
        };
    });
    choose(all[0]);
}

function dropping(workshop: Workshop) {
    const take = async (files: Iterable<File>) => {
        // files that others need come first
        const sorted = [...files].sort((a, b) => Number(/\.(json|obj|gltf)$/i.test(a.name)) - Number(/\.(json|obj|gltf)$/i.test(b.name)));
        for (const file of sorted) await workshop.bring(file).catch(failed);
    };
    addEventListener('dragover', (event) => { event.preventDefault(); at('drop').hidden = false; });
    addEventListener('dragleave', (event) => { if (event.relatedTarget === null) at('drop').hidden = true; });
    addEventListener('drop', (event) => { event.preventDefault(); at('drop').hidden = true; void take(event.dataTransfer?.files ?? []); });
    const input = at<HTMLInputElement>('file');
    input.onchange = () => { void take(input.files ?? []); input.value = ''; };
    at('open').onclick = at('open-too').onclick = () => input.click();
}

async function go(workshop: Workshop, cards: Card[]) {
    const place = await readAddress(location.hash), files = new Map<string, Uint8Array>();
    if (workshop.native && place.scene === null && place.text === null) return workshop.open('', files, { ...place, scene: '' });
    if (place.text !== null) return workshop.open(place.text, files, place);
    if (place.scene === null) { workshop.play(false); show('gallery'); return undefined; }
    const card = cards.find((each) => each.name === place.scene);
    if (!card) { show('gallery'); toast(`There is no scene "${place.scene}" here.`, 'The gallery shows those that there are.'); return undefined; }
    show('workshop');
    at('title').textContent = card.title;
    at('subtitle').textContent = card.description;
    for (const name of card.files) files.set(name, new Uint8Array(await (await fetch(new URL(`scenes/${name}`, base))).arrayBuffer()));
    const text = await (await fetch(new URL(card.file, base))).text();
    return workshop.open(text, files, place);
}

// pictures are fetched when one comes near them: browsers themselves ask for those of several screens further down
const nearby = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
        if (!isIntersecting) continue;
        const image = target as HTMLImageElement;
        image.src = image.dataset.picture!;
        nearby.unobserve(image);
    }
}, { rootMargin: '200px' });

async function main() {
    const lack = missing();
    if (lack) { wall(lack); return; }
    const [cards, where] = await Promise.all([
        fetch(new URL('gallery.json', base)).then((answer) => answer.json() as Promise<Card[]>),
        fetch(new URL('engine.json', base)).then((answer) => answer.json() as Promise<Where>).catch(() => ({})),
    ]);
    const workshop = new Workshop();
    await workshop.start(where);
    at('cards').append(...cards.map((card) => {
        const link = document.createElement('a');
        link.className = 'card';
        link.href = `#scene=${card.name}`;
        link.innerHTML = '<img alt="" width="400" height="250"><div><h2></h2><p></p></div>';
        const image = link.querySelector('img')!;
        image.dataset.picture = new URL(card.picture, base).href;
        nearby.observe(image);
        link.querySelector('h2')!.textContent = card.title;
        link.querySelector('p')!.textContent = card.description;
        return link;
    }));
    tabs();
    dropping(workshop);
    at('theme').onclick = () => {
        const name = document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark';
        document.documentElement.dataset.theme = name;
        localStorage.setItem('theme', name);
        workshop.theme(name);
    };
    addEventListener('hashchange', () => void go(workshop, cards).catch(failed));
    Object.assign(window, { verve: workshop }); // for tests and the curious
    if (!workshop.native) fetchAhead(base);
    await go(workshop, cards).catch(failed);
}

void main();
