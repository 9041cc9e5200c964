// The stage: a scene as it is seen. Frames of the engine move what is here; nothing here decides where anything is.
import * as THREE from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import { Binary, Part, SceneObject, Section, Vec3, doubles, floats, indices } from './protocol';
import { Surface, fieldColour } from './surface';

const BODIES = [0x3f86c7, 0xd9774a, 0x4fa37a, 0xb0679f, 0xc9a23f, 0x5d6fc0, 0x52a5b5, 0xc75b62];
const BODIES_DARK = [0x5aa0e0, 0xe88b5e, 0x66bb90, 0xc682b6, 0xd8b556, 0x7d8de0, 0x6cc0cf, 0xdc777d];

interface Look { clear: number; ground: number; grid: number; collider: number; rigid: number; bodies: number[]; ink: number; sky: number; sun: number }
const LOOKS: Record<'light' | 'dark', Look> = {
    light: { clear: 0xf1f3f4, ground: 0xcbd0d4, grid: 0xcdd3d8, collider: 0xb9bfc4, rigid: 0x8796a5, bodies: BODIES, ink: 0x1d2b36, sky: 1.9, sun: 2.0 },
    dark: { clear: 0x12181d, ground: 0x12181d, grid: 0x2a353e, collider: 0x566069, rigid: 0x7b8a99, bodies: BODIES_DARK, ink: 0xdfe7ec, sky: 1.3, sun: 2.0 },
};

// One object of the scene on the stage.
interface Actor {
    object: SceneObject;
    node: THREE.Object3D;
    corners: Uint32Array | null;   // triangles or lines, of objects whose positions come with frames
    surface: Surface | null;       // made with the first positions
    material: THREE.MeshStandardMaterial;
}

export interface HeldPoint { hand: number; target: THREE.Vector3; point: THREE.Vector3; force: THREE.Vector3 }

export class Stage {
    readonly camera = new THREE.PerspectiveCamera(40, 1, 0.01, 1000);
    readonly controls: OrbitControls;
    readonly renderer: THREE.WebGLRenderer;
    held: HeldPoint[] = [];
    fieldMost = 0;                 // the largest value of the field shown lately
    onCamera: () => void = () => {};
    drawn = 0;                     // pictures so far

    private scene = new THREE.Scene();
    private world = new THREE.Group();
    private marks = new THREE.Group();
    private actors: Actor[] = [];
    private objects: SceneObject[] = [];
    private sun = new THREE.DirectionalLight(0xffffff, 2.1);
    private sky = new THREE.HemisphereLight(0xffffff, 0x8d99a3, 1);
    private fill = new THREE.DirectionalLight(0xdfeaff, 0.7);
    private rim = new THREE.DirectionalLight(0xffffff, 0.6);
    private ground: THREE.Mesh | null = null;
    private grid: THREE.GridHelper | null = null;
    private look: Look = LOOKS.light;
    private size = 1;              // m, of what moves
    private framed = false;
    private dirty = true;
    private view: { eye: Vec3; target: Vec3; fieldOfView: number } | undefined;
    private pins = new THREE.InstancedMesh(new THREE.SphereGeometry(1, 10, 8), new THREE.MeshBasicMaterial({ color: 0xd4a017 }), 512);
    private arrows = new THREE.InstancedMesh(arrowGeometry(), new THREE.MeshBasicMaterial({ depthTest: false, transparent: true, opacity: 0.9 }), 4096);
    private springs = new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ color: 0xd6336c }));

    constructor(readonly canvas: HTMLCanvasElement) {
        this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
        this.renderer.shadowMap.enabled = true;
        this.renderer.shadowMap.type = THREE.PCFSoftShadowMap;
        this.renderer.toneMapping = THREE.NoToneMapping;
        this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
        this.sun.castShadow = true;
        this.sun.shadow.mapSize.set(2048, 2048);
        this.sun.shadow.bias = -0.0006;
        this.sun.shadow.normalBias = 0.02;
        this.sun.shadow.radius = 5;
        this.fill.position.set(-1, 0.5, 0.6);
        this.rim.position.set(0.2, 0.6, -1);
        this.scene.add(this.world, this.marks, this.sun, this.sun.target, this.sky, this.fill, this.rim);
        this.marks.add(this.pins, this.arrows, this.springs);
        for (const mark of [this.pins, this.arrows, this.springs]) mark.frustumCulled = false;
        this.pins.count = this.arrows.count = 0;
        this.controls = new OrbitControls(this.camera, canvas);
        this.controls.enableDamping = true;
        this.controls.dampingFactor = 0.12;
        this.controls.addEventListener('change', () => { this.dirty = this.looked = true; this.onCamera(); });
        this.theme('light');
        new ResizeObserver(() => this.resize()).observe(canvas.parentElement as HTMLElement);
        this.resize();
        const loop = () => { this.frameId = requestAnimationFrame(loop); this.draw(); };
        loop();
    }
    private frameId = 0;

    dispose() {
        cancelAnimationFrame(this.frameId);
        this.clear();
        this.controls.dispose();
        this.renderer.dispose();
    }

    theme(name: 'light' | 'dark') {
        this.look = LOOKS[name];
        this.scene.background = new THREE.Color(this.look.clear);
        this.scene.fog = null;
        this.sky.intensity = this.look.sky;
        this.sun.intensity = this.look.sun;
        (this.springs.material as THREE.LineBasicMaterial).color.set(name === 'dark' ? 0xff7aa8 : 0xd6336c);
        this.actors.forEach((actor) => this.dye(actor));
        if (this.framed) this.makeGround();
        this.dirty = true;
    }

    resize() {
        const box = (this.canvas.parentElement as HTMLElement).getBoundingClientRect();
        if (box.width === 0 || box.height === 0) return;
        this.renderer.setSize(box.width, box.height, false);
        // a stage that becomes narrower steps back, so that its sides stay in the picture
        const before = Math.min(this.camera.aspect, 1), after = Math.min(box.width / box.height, 1);
        if (this.framed) this.camera.position.sub(this.controls.target).multiplyScalar(before / after).add(this.controls.target);
        this.camera.aspect = box.width / box.height;
        this.camera.updateProjectionMatrix();
        this.dirty = true;
    }

    // ---- a scene ----------------------------------------------------------------------------------------------------

    load(objects: SceneObject[], view: { eye: Vec3; target: Vec3; fieldOfView: number } | undefined) {
        this.clear();
        this.objects = objects;
        this.view = view;
        this.framed = false;
        this.fieldMost = 0;
    }

    private clear() {
        for (const actor of this.actors) {
            this.world.remove(actor.node);
            actor.surface?.dispose();
            actor.material.dispose();
        }
        this.actors = [];
        this.world.clear();
        if (this.ground) { this.scene.remove(this.ground); this.ground.geometry.dispose(); this.ground = null; }
        if (this.grid) { this.scene.remove(this.grid); this.grid.dispose(); this.grid = null; }
        this.held = [];
    }

    private dye(actor: Actor) {
        const { object, material } = actor;
        const colour = object.kind === 'body' ? this.look.bodies[object.index % this.look.bodies.length]
            : object.kind === 'rigid' ? this.look.rigid : object.kind === 'fluid' ? 0x3d9be0 : this.look.collider;
        material.color.set(material.vertexColors ? 0xffffff : colour);
    }

    shapes(shapes: Binary) {
        this.actors.forEach((actor) => { this.world.remove(actor.node); actor.surface?.dispose(); });
        this.actors = this.objects.map((object) => {
            const material = new THREE.MeshStandardMaterial({
                roughness: object.kind === 'body' ? 0.55 : 0.8, metalness: 0, side: object.sheet ? THREE.DoubleSide : THREE.FrontSide,
            });
            const actor: Actor = { object, node: new THREE.Group(), corners: null, surface: null, material };
            this.dye(actor);
            this.world.add(actor.node);
            return actor;
        });
        for (const part of shapes.parts) {
            const actor = this.actors[part.object];
            if (part.type === Section.TRIANGLES) actor.corners = indices(shapes, part, 3);
            if (part.type === Section.LINES) actor.corners = indices(shapes, part, 2);
            if (part.type === Section.POSITIONS && actor.corners) {
                actor.surface = new Surface(actor.corners, floats(shapes, part, 3), false);
                const mesh = this.mesh(actor.surface.geometry, actor.material);
                // what is round is drawn a little smaller: triangles of cloth on it are chords, and would cut into it
                if (actor.object.kind === 'collider' && /^(sphere|capsule)$/.test(actor.object.name)) mesh.scale.setScalar(0.986);
                actor.node.add(mesh);
            }
        }
        this.dirty = true;
    }

    private mesh(geometry: THREE.BufferGeometry, material: THREE.Material) {
        const mesh = new THREE.Mesh(geometry, material);
        mesh.castShadow = mesh.receiveShadow = true;
        return mesh;
    }

    // ---- a frame ----------------------------------------------------------------------------------------------------

    frame(frame: Binary, field: string) {
        const values = new Map<number, Float32Array>(), arrows: Float32Array[] = [];
        let most = 0;
        for (const part of frame.parts) {
            if (part.type !== Section.VALUES) continue;
            const list = floats(frame, part, 1);
            values.set(part.object, list);
            for (const value of list) if (value > most) most = value;
        }
        this.fieldMost = values.size > 0 ? Math.max(most, 0.98 * this.fieldMost) : 0;
        for (const part of frame.parts) {
            if (part.type === Section.POSITIONS) this.place(this.actors[part.object], floats(frame, part, 3), values.get(part.object), field);
            if (part.type === Section.POSES) this.pose(doubles(frame, part, 7));
            if (part.type === Section.HANDS) this.hold(floats(frame, part, 10));
            if (part.type === Section.PINS) this.pin(frame, part);
            if (part.type === Section.CONTACTS || part.type === Section.FORCES) arrows.push(floats(frame, part, 6));
        }
        this.point(arrows);
        if (!this.framed) { this.fit(); this.makeGround(); this.framed = this.looked = true; }
        this.dirty = true;
    }

    private place(actor: Actor | undefined, positions: Float32Array, values: Float32Array | undefined, field: string) {
        if (!actor) return;
        if (actor.object.form === 'points') return this.placePoints(actor, positions, values);
        if (actor.object.form === 'lines') return this.placeLines(actor, positions, values);
        if (!actor.corners) return;
        if (!actor.surface) {
            actor.surface = new Surface(actor.corners, positions, actor.object.sheet);
            actor.node.add(this.mesh(actor.surface.geometry, actor.material));
        } else actor.surface.move(positions);
        const painted = values !== undefined && field !== 'none';
        if (painted) actor.surface.paint(values, this.fieldMost);
        if (actor.material.vertexColors !== painted) {
            actor.material.vertexColors = painted;
            actor.material.needsUpdate = true;
            this.dye(actor);
        }
    }

    // particles of a fluid: balls
    private placePoints(actor: Actor, positions: Float32Array, values: Float32Array | undefined) {
        const count = positions.length / 3, colour = [0, 0, 0];
        let balls = actor.node.children[0] as THREE.InstancedMesh | undefined;
        if (!balls || balls.instanceMatrix.count < count) {
            if (balls) { actor.node.remove(balls); balls.dispose(); }
            balls = new THREE.InstancedMesh(new THREE.IcosahedronGeometry(1, 1), actor.material, Math.ceil(1.2 * count) + 16);
            balls.castShadow = balls.receiveShadow = true;
            balls.frustumCulled = false;
            actor.material.roughness = 0.25;
            actor.node.add(balls);
        }
        const radius = 1.15 * actor.object.radius, matrix = balls.instanceMatrix.array as Float32Array;
        const base = new THREE.Color(0x3d9be0);
        for (let i = 0; i < count; ++i) {
            matrix.fill(0, 16 * i, 16 * i + 16);
            matrix[16 * i] = matrix[16 * i + 5] = matrix[16 * i + 10] = radius;
            matrix[16 * i + 12] = positions[3 * i];
            matrix[16 * i + 13] = positions[3 * i + 1];
            matrix[16 * i + 14] = positions[3 * i + 2];
            matrix[16 * i + 15] = 1;
            if (values) fieldColour(values[i] / (this.fieldMost || 1), colour, 0);
            balls.setColorAt(i, values ? new THREE.Color(colour[0], colour[1], colour[2]) : base);
        }
        actor.material.color.set(0xffffff);
        balls.count = count;
        balls.instanceMatrix.needsUpdate = true;
        if (balls.instanceColor) balls.instanceColor.needsUpdate = true;
    }

    // ropes and hair: a tube piece for every segment
    private placeLines(actor: Actor, positions: Float32Array, values: Float32Array | undefined) {
        const lines = actor.corners as Uint32Array, count = lines.length / 2;
        let tubes = actor.node.children[0] as THREE.InstancedMesh | undefined;
        if (!tubes) {
            tubes = new THREE.InstancedMesh(new THREE.CapsuleGeometry(1, 1, 3, 8), actor.material, count);
            tubes.castShadow = tubes.receiveShadow = true;
            tubes.frustumCulled = false;
            actor.node.add(tubes);
        }
        const a = new THREE.Vector3(), b = new THREE.Vector3(), up = new THREE.Vector3(0, 1, 0), turn = new THREE.Quaternion();
        const matrix = new THREE.Matrix4(), scale = new THREE.Vector3(), colour = [0, 0, 0];
        const radius = Math.max(actor.object.radius, 0.0018 * this.size);
        for (let i = 0; i < count; ++i) {
            a.fromArray(positions, 3 * lines[2 * i]);
            b.fromArray(positions, 3 * lines[2 * i + 1]).sub(a);
            const length = b.length() || 1e-9;
            turn.setFromUnitVectors(up, scale.copy(b).divideScalar(length));
            // the capsule has a middle of length 1 and caps of radius 1, which its scale along y shortens
            matrix.compose(a.addScaledVector(b, 0.5), turn, scale.set(radius, length / 1.4, radius));
            tubes.setMatrixAt(i, matrix);
            if (values) {
                fieldColour(values[lines[2 * i]] / (this.fieldMost || 1), colour, 0);
                tubes.setColorAt(i, new THREE.Color(colour[0], colour[1], colour[2]));
            }
        }
        if (!values) this.dye(actor); else actor.material.color.set(0xffffff);
        if (tubes.instanceColor && !values) { tubes.instanceColor = null; actor.material.needsUpdate = true; }
        if (tubes.instanceColor) tubes.instanceColor.needsUpdate = true;
        tubes.instanceMatrix.needsUpdate = true;
    }

    private pose(poses: Float64Array) {
        for (const actor of this.actors) {
            const at = 7 * actor.object.pose;
            if (actor.object.pose < 0 || at + 7 > poses.length) continue;
            actor.node.position.set(poses[at], poses[at + 1], poses[at + 2]);
            actor.node.quaternion.set(poses[at + 4], poses[at + 5], poses[at + 6], poses[at + 3]);
        }
    }

    private hold(list: Float32Array) {
        this.held = [];
        const points: number[] = [];
        for (let i = 0; i < list.length; i += 10) {
            const vector = (at: number) => new THREE.Vector3(list[i + at], list[i + at + 1], list[i + at + 2]);
            this.held.push({ hand: list[i], target: vector(1), point: vector(4), force: vector(7) });
            points.push(...list.slice(i + 1, i + 7));
        }
        this.springs.geometry.setAttribute('position', new THREE.Float32BufferAttribute(points, 3));
        this.springs.visible = points.length > 0;
    }

    private pin(frame: Binary, part: Part) {
        const list = floats(frame, part, 3), matrix = new THREE.Matrix4(), radius = 0.006 * this.size;
        this.pins.count = Math.min(part.count, 512);
        for (let i = 0; i < this.pins.count; ++i)
            this.pins.setMatrixAt(i, matrix.makeScale(radius, radius, radius).setPosition(list[3 * i], list[3 * i + 1], list[3 * i + 2]));
        this.pins.instanceMatrix.needsUpdate = true;
    }

    // arrows of contacts and forces: the largest of them has a fifth of the scene's size
    private point(lists: Float32Array[]) {
        let most = 0, count = 0;
        for (const list of lists)
            for (let i = 0; i < list.length; i += 6) most = Math.max(most, Math.hypot(list[i + 3], list[i + 4], list[i + 5]));
        const up = new THREE.Vector3(0, 1, 0), force = new THREE.Vector3(), turn = new THREE.Quaternion(), matrix = new THREE.Matrix4();
        const at = new THREE.Vector3(), scale = new THREE.Vector3(), colour = new THREE.Color(0xe0483e);
        for (const list of lists) {
            for (let i = 0; i < list.length && count < 4096; i += 6) {
                force.set(list[i + 3], list[i + 4], list[i + 5]);
                const size = force.length();
                if (!(size > 0.01 * most)) continue;
                const length = (0.2 * this.size * size) / most;
                matrix.compose(at.fromArray(list, i), turn.setFromUnitVectors(up, force.divideScalar(size)), scale.set(0.012 * this.size, length, 0.012 * this.size));
                this.arrows.setMatrixAt(count, matrix);
                this.arrows.setColorAt(count++, colour);
            }
        }
        this.arrows.count = count;
        this.arrows.renderOrder = 2;
        this.arrows.instanceMatrix.needsUpdate = true;
        if (this.arrows.instanceColor) this.arrows.instanceColor.needsUpdate = true;
    }

    // ---- where the camera stands ------------------------------------------------------------------------------------

    private bounds(): THREE.Box3 {
        const box = new THREE.Box3(), moving = new THREE.Box3();
        this.world.updateMatrixWorld(true);
        for (const actor of this.actors) {
            if (actor.object.form === 'plane') continue;
            const own = new THREE.Box3();
            const child = actor.node.children[0];
            if (child instanceof THREE.InstancedMesh) {
                const matrix = child.instanceMatrix.array;
                for (let i = 0; i < child.count; ++i) own.expandByPoint(new THREE.Vector3(matrix[16 * i + 12], matrix[16 * i + 13], matrix[16 * i + 14]));
            } else own.setFromObject(actor.node);
            if (own.isEmpty()) continue;
            (actor.object.kind === 'collider' ? box : moving).union(own);
        }
        if (moving.isEmpty()) return box.isEmpty() ? new THREE.Box3(new THREE.Vector3(-1, 0, -1), new THREE.Vector3(1, 1, 1)) : box;
        // colliders that are not much larger than what moves are part of the picture
        const size = moving.getSize(new THREE.Vector3()).length();
        if (!box.isEmpty() && box.getSize(new THREE.Vector3()).length() < 3 * size) moving.union(box);
        return moving;
    }

    fit() {
        const box = this.bounds(), middle = box.getCenter(new THREE.Vector3()), extent = box.getSize(new THREE.Vector3());
        this.size = Math.max(extent.length(), 1e-6);
        const target = this.view ? new THREE.Vector3(...this.view.target) : middle;
        const direction = this.view ? new THREE.Vector3(...this.view.eye).sub(target) : new THREE.Vector3(0.7, 0.45, 1);
        const angle = this.view?.fieldOfView ?? 40, tall = this.camera.aspect < 1 ? this.camera.aspect : 1;
        let distance = (0.62 * this.size) / Math.tan((angle * Math.PI) / 360) / tall;
        if (this.objects.some((object) => object.kind === 'fluid') && !this.view) distance *= 1.7; // it will spread
        if (this.view) distance = Math.max(Math.min(direction.length() / tall, 4 * distance), 0.6 * distance);
        if (!this.objects.some((object) => object.form === 'plane')) distance *= 1.25; // it may swing out
        this.camera.fov = angle;
        this.camera.position.copy(target).addScaledVector(direction.normalize(), distance);
        this.camera.near = distance / 200;
        this.camera.far = distance * 60;
        this.camera.updateProjectionMatrix();
        this.controls.target.copy(target);
        this.controls.update();
        const reach = 1.5 * this.size, sun = this.sun.shadow.camera;
        this.sun.position.copy(middle).add(new THREE.Vector3(0.55, 1.6, 0.75).multiplyScalar(1.6 * this.size));
        this.sun.target.position.copy(middle);
        Object.assign(sun, { left: -reach, right: reach, top: reach, bottom: -reach, near: 0.1 * this.size, far: 6 * this.size });
        this.sun.shadow.normalBias = 0.004 * this.size;
        sun.updateProjectionMatrix();
    }

    // a level plane is the ground with a grid of round lengths; other planes are slabs
    private makeGround() {
        const look = this.look, box = this.bounds(), middle = box.getCenter(new THREE.Vector3());
        if (this.ground) { this.scene.remove(this.ground); this.ground.geometry.dispose(); this.ground = null; }
        if (this.grid) { this.scene.remove(this.grid); this.grid.dispose(); this.grid = null; }
        let level: number | undefined;
        for (const actor of this.actors) {
            if (actor.object.form !== 'plane' || !actor.object.normal) continue;
            const normal = new THREE.Vector3(...actor.object.normal).applyQuaternion(actor.node.quaternion);
            if (normal.y > 0.9999 && actor.node.position.y > -1e6) {
                const height = actor.node.position.y + (actor.object.offset ?? 0);
                level = level === undefined ? height : Math.max(level, height);
            } else this.slab(actor);
        }
        // without a floor things may swing far down
        const y = level ?? box.min.y - 1.05 * this.size, cell = 10 ** Math.floor(Math.log10(this.size / 2));
        const half = cell * Math.ceil((3.2 * this.size) / cell);
        this.ground = new THREE.Mesh(new THREE.CircleGeometry(14 * this.size, 64), new THREE.MeshStandardMaterial({ color: look.ground, roughness: 1 }));
        this.ground.rotation.x = -Math.PI / 2;
        this.ground.position.set(middle.x, y - 0.001 * this.size, middle.z);
        this.ground.receiveShadow = true;
        this.grid = new THREE.GridHelper(2 * half, Math.round((2 * half) / cell), look.grid, look.grid);
        this.grid.position.set(cell * Math.round(middle.x / cell), y - 0.0005 * this.size, cell * Math.round(middle.z / cell));
        (this.grid.material as THREE.Material).transparent = true;
        (this.grid.material as THREE.Material).opacity = 0.7;
        const away = this.camera.position.distanceTo(this.controls.target);
        this.scene.fog = new THREE.Fog(look.clear, away + 0.8 * this.size, away + 5 * this.size);
        this.scene.add(this.ground, this.grid);
    }

    private slab(actor: Actor) {
        actor.node.clear();
        const normal = new THREE.Vector3(...(actor.object.normal as Vec3)), side = 1.4 * this.size;
        const mesh = this.mesh(new THREE.BoxGeometry(2 * side, 0.02 * this.size, 2 * side), actor.material);
        mesh.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), normal);
        const middle = this.bounds().getCenter(new THREE.Vector3());
        actor.node.updateMatrixWorld();
        const local = actor.node.worldToLocal(middle);
        local.addScaledVector(normal, (actor.object.offset ?? 0) - local.dot(normal) - 0.01 * this.size);
        mesh.position.copy(local);
        // a slab between the eye and the scene would hide it
        actor.material.transparent = true;
        actor.material.opacity = 0.1;
        actor.material.depthWrite = false;
        mesh.castShadow = mesh.receiveShadow = false;
        actor.node.add(mesh);
    }

    // ---- the pointer ------------------------------------------------------------------------------------------------

    ray(x: number, y: number): THREE.Ray {
        const box = this.canvas.getBoundingClientRect(), caster = new THREE.Raycaster();
        this.camera.updateMatrixWorld();
        caster.setFromCamera(new THREE.Vector2((2 * (x - box.left)) / box.width - 1, 1 - (2 * (y - box.top)) / box.height), this.camera);
        return caster.ray;
    }

    // what is under the pointer, to decide at once whether it turns the camera; the engine decides what is held
    hit(x: number, y: number): { object: SceneObject; point: THREE.Vector3 } | null {
        const ray = this.ray(x, y), caster = new THREE.Raycaster(ray.origin, ray.direction);
        caster.params.Line = { threshold: 0.01 * this.size };
        let best: { object: SceneObject; point: THREE.Vector3; distance: number } | null = null;
        for (const actor of this.actors) {
            if (actor.object.form === 'plane' || actor.object.kind === 'fluid') continue;
            const found = caster.intersectObject(actor.node, true)[0];
            if (found && (!best || found.distance < best.distance)) best = { object: actor.object, point: found.point, distance: found.distance };
        }
        return best && best.object.kind !== 'collider' ? best : null;
    }

    project(point: THREE.Vector3): { x: number; y: number } {
        const box = this.canvas.getBoundingClientRect(), at = point.clone().project(this.camera);
        return { x: box.left + (0.5 + 0.5 * at.x) * box.width, y: box.top + (0.5 - 0.5 * at.y) * box.height };
    }

    get extent() { return this.size; }

    copyCamera(other: Stage) {
        this.camera.position.copy(other.camera.position);
        this.controls.target.copy(other.controls.target);
        this.camera.lookAt(this.controls.target);
        this.dirty = true;
    }

    turn(right: number, up: number) { // by keys, in degrees
        const away = new THREE.Spherical().setFromVector3(this.camera.position.clone().sub(this.controls.target));
        away.theta -= (right * Math.PI) / 180;
        away.phi = Math.min(Math.max(away.phi - (up * Math.PI) / 180, 0.05), Math.PI - 0.05);
        this.camera.position.setFromSpherical(away).add(this.controls.target);
        this.controls.update();
    }

    // walls between the eye and what moves are glass
    private seeThrough() {
        const eye = this.camera.position, middles: THREE.Vector3[] = [];
        for (const actor of this.actors) {
            if (actor.object.kind === 'collider' || !actor.surface) continue;
            const sphere = actor.surface.geometry.boundingSphere;
            if (sphere) middles.push(sphere.center.clone().applyMatrix4(actor.node.matrixWorld));
        }
        for (const actor of this.actors) {
            if (actor.object.kind !== 'collider' || actor.object.form === 'plane' || !/^(box|mesh)$/.test(actor.object.name)) continue;
            const box = new THREE.Box3().setFromObject(actor.node), at = new THREE.Vector3();
            const hides = middles.some((middle) => {
                const ray = new THREE.Ray(eye, middle.clone().sub(eye).normalize());
                return !box.containsPoint(middle) && ray.intersectBox(box, at) !== null && at.distanceTo(eye) < middle.distanceTo(eye);
            });
            actor.material.transparent = hides;
            actor.material.opacity = hides ? 0.22 : 1;
            actor.material.depthWrite = !hides;
            actor.node.children.forEach((child) => (child.castShadow = !hides));
        }
    }
    private looked = true;

    draw() {
        this.controls.update();
        if (!this.dirty) return;
        if (this.looked && this.framed) { this.seeThrough(); this.looked = false; }
        this.dirty = false;
        this.drawn += 1;
        this.renderer.render(this.scene, this.camera);
    }

    redraw() { this.dirty = true; }
}

// along y from 0 to 1, radius 1 at the head
function arrowGeometry(): THREE.BufferGeometry {
    const points = [[0, 0], [0.3, 0], [0.3, 0.72], [1, 0.72], [0, 1]].map(([x, y]) => new THREE.Vector2(x, y));
    return new THREE.LatheGeometry(points, 8);
}
