// The panel of methods and settings, made from the table that the engine sends: label, unit, range, default and help of
// every setting come from the library.
import { Setting, Value, Vec3 } from './protocol';

// sliders that are shown at once; others are behind "more"
const FIRST = ['integrator.substeps', 'integrator.iterations', 'integrator.rigidSubsteps'];
const GROUPS: [Setting['group'], string][] = [['method', 'Method'], ['world', 'World'], ['body', 'Bodies'], ['collider', 'Colliders']];

interface Scale { from(position: number): number; to(value: number): number } // positions are 0 to 1000

function scaleOf(setting: Setting): Scale {
    const least = setting.least ?? -1e3, most = setting.most ?? 1e3;
    const number = typeof setting.value === 'number' ? setting.value : 0;
    const reference = Math.abs(typeof setting.initial === 'number' && setting.initial !== 0 ? setting.initial : number);
    if (setting.kind === 'integer' && most > 50) { // fine at the small end
        const top = Math.min(most, Math.max(64, 4 * number));
        return { from: (p) => Math.round(least + (top - least) * (p / 1000) ** 2), to: (v) => 1000 * Math.sqrt((v - least) / (top - least)) };
    }
    if (least >= 0 && most > 1e3 * Math.max(least, 1e-12)) { // over decades; the left end is the least value itself
        const middle = Math.max(reference || 1e-2 * Math.min(most, 1), 1e-9), low = Math.max(least, middle / 1e2), high = Math.min(most, Math.max(middle * 1e2, number));
        const decades = Math.log(high / low);
        return {
            from: (p) => (p < 10 && least === 0 ? 0 : Number((low * Math.exp((decades * Math.max(p - 10, 0)) / 990)).toPrecision(3))),
            to: (v) => (v <= 0 ? 0 : 10 + (990 * Math.log(Math.max(v, low) / low)) / decades),
        };
    }
    const low = Math.max(least, -1e3), high = Math.min(most, setting.path.endsWith('poisson') ? 0.49 : Math.max(2 * Math.abs(number), most > 1e3 ? 10 : most));
    return { from: (p) => Number((low + ((high - low) * p) / 1000).toPrecision(3)), to: (v) => (1000 * (v - low)) / (high - low) };
}

export class SettingsPanel {
    onSet: (path: string, value: Value) => void = () => {};

    constructor(private place: HTMLElement) {}

    show(settings: Setting[]) {
        // what is being typed into stays as it is
        const focus = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.path : undefined;
        const open = [...this.place.querySelectorAll('details')].some((details) => details.open);
        this.place.replaceChildren();
        for (const [group, title] of GROUPS) {
            const own = settings.filter((setting) => setting.group === group && setting.used && setting.kind !== 'word');
            const words = settings.filter((setting) => setting.group === group && setting.used && setting.kind === 'word');
            if (own.length + words.length === 0) continue;
            const heading = document.createElement('h2');
            heading.textContent = title;
            if (group !== 'method') this.place.append(heading);
            words.slice(0, 2).forEach((setting) => this.place.append(this.choice(setting)));
            const more: Setting[] = [...words.slice(2)];
            own.forEach((setting) => {
                if (group === 'method' && !FIRST.includes(setting.path)) more.push(setting);
                else this.place.append(this.row(setting));
            });
            if (more.length > 0) {
                const details = document.createElement('details'), summary = document.createElement('summary');
                details.open = open;
                summary.textContent = `${more.length} more settings of this method`;
                details.append(summary, ...more.map((setting) => (setting.kind === 'word' ? this.choice(setting) : this.row(setting))));
                this.place.append(details);
            }
        }
        if (focus) this.place.querySelector<HTMLElement>(`[data-path="${CSS.escape(focus)}"]`)?.focus();
    }

    private choice(setting: Setting): HTMLElement {
        const box = document.createElement('label'), select = document.createElement('select');
        box.className = 'choose';
        box.title = setting.help;
        box.append(setting.label, select);
        select.id = `set-${setting.label}`;
        select.dataset.path = setting.path;
        for (const word of setting.words ?? []) select.append(new Option(word, word, false, word === setting.value));
        select.onchange = () => this.onSet(setting.path, select.value);
        return box;
    }

    private row(setting: Setting): HTMLElement {
        const box = document.createElement('div'), id = `set-${setting.path}`, label = document.createElement('label');
        box.className = 'setting';
        label.textContent = setting.label;
        label.htmlFor = id;
        box.title = setting.help;
        if (setting.kind === 'switch') {
            const input = Object.assign(document.createElement('input'), { type: 'checkbox', id, checked: setting.value === true });
            input.dataset.path = setting.path;
            input.onchange = () => this.onSet(setting.path, input.checked);
            box.append(label, input);
            return box;
        }
        const vector = setting.kind === 'vector' ? (setting.value as Vec3) : null; // gravity: its size, downwards
        const scalar: Setting = vector ? { ...setting, kind: 'number', least: -20, most: 20, value: -vector[1], initial: 9.81 } : setting;
        const scale = scaleOf(scalar), now = scalar.value as number;
        const number = Object.assign(document.createElement('input'), { type: 'number', id, step: 'any', value: String(Number(now.toPrecision(5))) });
        const range = Object.assign(document.createElement('input'), { type: 'range', min: '0', max: '1000', step: '1', value: String(scale.to(now)) });
        const value = document.createElement('span'), help = document.createElement('small');
        number.dataset.path = setting.path;
        value.className = 'value';
        value.append(number, setting.unit);
        help.textContent = setting.help;
        range.setAttribute('aria-label', `${setting.label}${setting.unit ? ` in ${setting.unit}` : ''}`);
        const send = (v: number) => this.onSet(setting.path, vector ? [vector[0], -v, vector[2]] : v);
        range.oninput = () => (number.value = String(scale.from(Number(range.value))));
        range.onchange = () => send(scale.from(Number(range.value)));
        number.onchange = () => { if (number.value !== '') send(Number(number.value)); };
        box.append(label, value, range, help);
        return box;
    }
}
