// Pointers on the stage: what they do goes to the engines as messages. With two panes, every hand acts on both.
import * as THREE from 'three';
import { Pane } from './pane';
import { short } from './charts';
import { Vec3 } from './protocol';

export type Tool = 'grab' | 'pin' | 'cut' | 'blow';
export const TOOLS: { name: Tool; title: string; key: string; path: string }[] = [
    { name: 'grab', title: 'Grab', key: '1', path: 'M8 11V5.5a1.5 1.5 0 0 1 3 0V10m0-5.5a1.5 1.5 0 0 1 3 0V10m0-4a1.5 1.5 0 0 1 3 0v7c0 4-2 7-6 7-3 0-4.5-1.5-6-4l-2-3.5c-.8-1.4 1-2.6 2-1.4L8 13z' },
    { name: 'pin', title: 'Pin', key: '2', path: 'M12 21v-7m-5 0h10l-2-4V4H9v6z' },
    { name: 'cut', title: 'Cut', key: '3', path: 'M6 4l11 13M18 4 7 17M5.5 20a2 2 0 1 0 0-4 2 2 0 0 0 0 4zm13 0a2 2 0 1 0 0-4 2 2 0 0 0 0 4z' },
    { name: 'blow', title: 'Blow', key: '4', path: 'M3 9h10a3 3 0 1 0-3-3M3 13h15a3 3 0 1 1-3 3M3 17h7' },
];

const list = (v: THREE.Vector3): Vec3 => [v.x, v.y, v.z];
const GUST = 12; // m/s

interface Hold { pane: Pane; hand: number; plane: THREE.Plane; x: number; y: number }

export class Hands {
    tool: Tool = 'grab';
    onChanged: () => void = () => {};  // the world was changed by hand
    private holds = new Map<number, Hold>(); // by pointer
    private cuts = new Map<number, { x: number; y: number }>();

    constructor(private panes: () => Pane[], private label: HTMLElement, private failed: (error: unknown) => void) {}

    attach(pane: Pane) {
        const canvas = pane.stage.canvas;
        // before the controls of the camera see it
        canvas.addEventListener('pointerdown', (event) => this.down(pane, event), { capture: true });
        canvas.addEventListener('pointermove', (event) => this.move(pane, event), { capture: true });
        for (const name of ['pointerup', 'pointercancel'] as const)
            canvas.addEventListener(name, (event) => this.up(pane, event), { capture: true });
        pane.stage.onCamera = () => this.panes().forEach((other) => other !== pane && other.stage.copyCamera(pane.stage));
    }

    private take(pane: Pane, event: PointerEvent) {
        pane.stage.controls.enabled = false;
        pane.stage.canvas.setPointerCapture(event.pointerId);
        event.stopImmediatePropagation();
    }

    private down(pane: Pane, event: PointerEvent) {
        if (event.button !== 0) return;
        const ray = pane.stage.ray(event.clientX, event.clientY), origin = list(ray.origin), direction = list(ray.direction);
        const hit = this.tool === 'cut' || this.tool === 'blow' ? null : pane.stage.hit(event.clientX, event.clientY);
        if ((this.tool === 'grab' || this.tool === 'pin') && !hit) return; // the camera's
        this.take(pane, event);
        if (this.tool === 'grab' && hit) {
            const normal = pane.stage.camera.getWorldDirection(new THREE.Vector3());
            const hand = [0, 1, 2, 3, 4, 5, 6, 7].find((n) => ![...this.holds.values()].some((hold) => hold.hand === n)) ?? 0;
            this.holds.set(event.pointerId, {
                pane, hand, plane: new THREE.Plane().setFromNormalAndCoplanarPoint(normal, hit.point), x: event.clientX, y: event.clientY,
            });
            this.panes().forEach((each) => each.engine.ask({ type: 'grab', hand, origin, direction }).catch(this.failed));
        } else if (this.tool === 'pin') {
            this.panes().forEach((each) => each.engine.ask({ type: 'pin', origin, direction }).catch(this.failed));
        } else if (this.tool === 'cut') {
            this.cuts.set(event.pointerId, { x: event.clientX, y: event.clientY });
        } else if (this.tool === 'blow') this.blow(direction.map((d) => GUST * d) as Vec3);
        this.onChanged();
    }

    private blow(velocity: Vec3) {
        this.panes().forEach((each) => each.engine.ask({ type: 'wind', velocity }).catch(this.failed));
    }

    private move(pane: Pane, event: PointerEvent) {
        const hold = this.holds.get(event.pointerId), cut = this.cuts.get(event.pointerId);
        if (hold) {
            const at = pane.stage.ray(event.clientX, event.clientY).intersectPlane(hold.plane, new THREE.Vector3());
            hold.x = event.clientX;
            hold.y = event.clientY;
            if (at) this.panes().forEach((each) => each.engine.tell({ type: 'drag', hand: hold.hand, target: list(at) }));
            event.stopImmediatePropagation();
        } else if (cut) {
            this.mark(cut, event);
            event.stopImmediatePropagation();
        } else if (event.pointerType === 'mouse' && event.buttons === 0 && (this.tool === 'grab' || this.tool === 'pin')) {
            pane.stage.canvas.style.cursor = '';
        }
    }

    // the stroke of the knife, over the page
    private stroke: SVGSVGElement | null = null;
    private mark(from: { x: number; y: number }, to: { clientX: number; clientY: number } | null) {
        this.stroke?.remove();
        this.stroke = null;
        if (!to) return;
        const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
        svg.setAttribute('style', 'position:fixed;inset:0;width:100%;height:100%;pointer-events:none;z-index:4');
        svg.innerHTML = `<line x1="${from.x}" y1="${from.y}" x2="${to.clientX}" y2="${to.clientY}" stroke="#d6336c" stroke-width="1.5" stroke-dasharray="6 4"/>`;
        document.body.append(svg);
        this.stroke = svg;
    }

    private up(pane: Pane, event: PointerEvent) {
        const hold = this.holds.get(event.pointerId), cut = this.cuts.get(event.pointerId);
        pane.stage.controls.enabled = true;
        if (hold) {
            this.holds.delete(event.pointerId);
            this.panes().forEach((each) => each.engine.ask({ type: 'release', hand: hold.hand }).catch(this.failed));
        }
        if (cut) {
            this.cuts.delete(event.pointerId);
            this.mark(cut, null);
            if (event.type === 'pointerup' && Math.hypot(event.clientX - cut.x, event.clientY - cut.y) > 8) this.sweep(pane, cut, event);
        }
        if (this.tool === 'blow') this.blow([0, 0, 0]);
        if (hold || cut) event.stopImmediatePropagation();
    }

    // a blade along the line of sight, swept from where the pointer went down to where it came up
    private sweep(pane: Pane, from: { x: number; y: number }, to: PointerEvent) {
        const reach = pane.stage.camera.position.distanceTo(pane.stage.controls.target) + 4 * pane.stage.extent;
        const blade = (x: number, y: number): [Vec3, Vec3] => {
            const ray = pane.stage.ray(x, y);
            return [list(ray.at(pane.stage.camera.near, new THREE.Vector3())), list(ray.at(reach, new THREE.Vector3()))];
        };
        const before = blade(from.x, from.y), after = blade(to.clientX, to.clientY);
        this.panes().forEach((each) => each.engine.ask({ type: 'cut', before, after }).catch(this.failed));
        this.onChanged();
    }

    // the force in newtons beside the pointer, after every frame
    showForce(pane: Pane) {
        const hold = [...this.holds.values()].find((each) => each.pane === pane);
        const held = hold && pane.stage.held.find((each) => each.hand === hold.hand);
        this.label.hidden = !held;
        if (!hold || !held) return;
        this.label.textContent = short(held.force.length(), 'N');
        this.label.style.left = `${hold.x}px`;
        this.label.style.top = `${hold.y}px`;
    }

    get holding() { return this.holds.size > 0; }
}
