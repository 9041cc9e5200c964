// What page and engine say to each other. The engine is src/live (C): WebAssembly in a Worker, or the tool itself
// behind a WebSocket (`verve view`). Both take and send the same messages; the carrier (Worker or server) hands them on
// as they are. Text messages are JSON, one object each with a `type`. Binary messages have the layout below. Lengths are
// in m, forces in N, energies in J, times in s.
//
// ---- flow -----------------------------------------------------------------------------------------------------------
//
//   page: hello                     engine: ready
//   page: load                      engine: scene, binary SHAPES, binary FRAME; or error, and what was loaded stays
//   page: play, pause, step ...     engine: binary FRAME whenever the state has changed
//   page: got                       after every FRAME; until then the engine sends no other, but goes on stepping
//
// Every text message from the page may have an `id` (a number). The answer to it, `did` or `error`, has the same `id`.
// Messages are handled in their order. A message that the engine does not understand is answered with `error` and
// changes nothing.
//
// ---- binary messages, little-endian ---------------------------------------------------------------------------------
//
//   0   u32  magic, the bytes "VVB1"
//   4   u32  kind: SHAPES 1, FRAME 2, FILE 3, UPLOAD 4
//   8   u32  number of sections
//   12  u32  frame number; 0 of kinds that have none
//   16  f64  time, s
//   24       sections: u32 type, u32 object, u32 count, u32 offset in bytes from the start of the message (a multiple
//            of 8), one after the other; then their contents
//
// SHAPES: for every object its TRIANGLES or LINES, and for objects with a pose their POSITIONS in their own frame. It is
// sent again when a mesh has changed (a cut), before the next FRAME.
// FRAME: POSITIONS (and VALUES where a field is shown) of bodies, fluids and colliders without a pose; POSES; LEDGER;
// STATISTICS; HANDS; PINS; CONTACTS and FORCES where they are shown.
// FILE: TEXT (its name), BYTES. UPLOAD: the same from the page, answered by `did`.

export const MAGIC = 0x31425656; // "VVB1"

export enum Kind { SHAPES = 1, FRAME = 2, FILE = 3, UPLOAD = 4 }

export enum Section {
    POSITIONS = 1,  // f32 x 3, m
    TRIANGLES = 3,  // u32 x 3
    LINES = 4,      // u32 x 2
    VALUES = 5,     // f32: the field shown, one number per position
    POSES = 6,      // f64 x 7: x y z, then the quaternion w x y z; the object with `pose` i has entry i
    LEDGER = 7,     // f64: in the order of `ready.ledger`
    STATISTICS = 8, // f64: in the order of `ready.statistics`
    CONTACTS = 9,   // f32 x 6: point, force on the body in N
    HANDS = 10,     // f32 x 10: number of the hand, its target, the point it holds, its force in N
    PINS = 11,      // f32 x 3: vertices that are pinned
    FORCES = 12,    // f32 x 6: vertex, elastic force on it in N
    TEXT = 13,      // u8: UTF-8
    BYTES = 14,     // u8
}

export type Vec3 = [number, number, number];
export type Field = 'none' | 'strain' | 'energy' | 'speed';

// ---- page to engine -------------------------------------------------------------------------------------------------

export type Request = { id?: number } & (
    | { type: 'hello' }
    // `scene`: the text of a scene file, or the bare name of one that the engine has (`verve view`: "" is the one it
    // was started with). `set`: words as of `verve run --set`. Mesh files are those uploaded before.
    | { type: 'load'; scene: string; name?: string; set?: string[] }
    | { type: 'play'; speed?: number }              // 1: real time; 0.1: slow motion. Default 1
    | { type: 'pause' }
    | { type: 'step'; count?: number }              // frames, without waiting for the clock. Default 1
    | { type: 'reset' }                             // as loaded, with what was `set` since
    | { type: 'rewind'; seconds: number }           // to the saved state nearest to that long ago
    // A key of the scene: "integrator.method", "integrator.substeps", "gravity", "bodies.0.material.young", ... In place
    // where the library can; else the world is built again and gets its state back. `did.kept`: false where that was
    // not possible and the scene began again.
    | { type: 'set'; path: string; value: unknown }
    | { type: 'grab'; hand: number; origin: Vec3; direction: Vec3 } // did: object (-1: nothing is there), point
    | { type: 'drag'; hand: number; target: Vec3 }
    | { type: 'release'; hand: number }
    | { type: 'pin'; origin: Vec3; direction: Vec3 } // or unpin; did: object, pinned
    | { type: 'cut'; before: [Vec3, Vec3]; after: [Vec3, Vec3] } // a blade before and after it moved; did: cuts
    | { type: 'wind'; velocity: Vec3 }              // m/s, blown in addition to the scene's wind; 0 0 0 ends it
    | { type: 'show'; field?: Field; contacts?: boolean; forces?: boolean }
    | { type: 'record'; formats: string }           // "glb,pc2,usda,ply": from here on; "": stop and send the FILEs
    | { type: 'export' }                            // FILE scene.json: the scene with every setting
    // A scene around a mesh file uploaded before: `unit` of its coordinates, whether a closed surface becomes a solid.
    | { type: 'import'; file: string; unit: string; solid?: boolean }
    | { type: 'hash' }                              // did: hash, of the state, 16 digits: as `verve run` prints it
    | { type: 'got' }
);

// ---- engine to page -------------------------------------------------------------------------------------------------

export type Value = number | string | boolean | Vec3;

export interface Setting {
    path: string;                   // for `set`; "bodies.*.friction" sets it for all
    group: 'method' | 'world' | 'body' | 'collider';
    label: string;                  // "substeps", "young of jelly"
    kind: 'word' | 'switch' | 'number' | 'integer' | 'vector';
    words?: string[];               // of a word
    unit: string;                   // "": none
    least?: number;
    most?: number;                  // of numbers: what is allowed
    initial: Value;                 // the default
    value: Value;                   // now
    help: string;
    used: boolean;                  // the present method looks at it
}

export interface SceneObject {
    kind: 'body' | 'collider' | 'rigid' | 'fluid';
    index: number;                  // among its kind
    name: string;
    form: 'surface' | 'lines' | 'points' | 'plane';
    sheet: boolean;                 // seen from both sides
    radius: number;                 // m, of lines and points
    pose: number;                   // entry in POSES; -1: its POSITIONS come with every FRAME
    normal?: Vec3;                  // of a plane, in its own frame: normal . x = offset
    offset?: number;
}

export type Answer =
    | {
        type: 'ready'; version: string; engine: 'wasm' | 'native'; threads: number;
        ledger: string[]; statistics: string[]; methods: string[]; solvers: string[]; units: string[];
        meshFormats: string[]; recordFormats: string[];
        scene?: string;             // loaded by `load` with scene "" (`verve view`)
    }
    | {
        type: 'scene'; name: string; description: string; timestep: number; frames: number;
        method: string; solver: string; objects: SceneObject[]; settings: Setting[];
        camera?: { eye: Vec3; target: Vec3; fieldOfView: number }; // degrees, vertical
        vertices: number; elements: number; mass: number;
    }
    | { type: 'settings'; settings: Setting[]; method: string; solver: string } // after `set`
    | { type: 'did'; of: string; id?: number; [key: string]: unknown }
    | { type: 'error'; of: string; id?: number; code: string; message: string; remedy: string }
    | { type: 'stopped'; message: string; remedy: string } // a step failed: the state before it stays, and time stands
    | { type: 'note'; text: string };                      // a warning of the library

// ---- reading and writing of binary messages -------------------------------------------------------------------------

export interface Part { type: Section; object: number; count: number; offset: number }

export interface Binary { kind: Kind; frame: number; time: number; parts: Part[]; buffer: ArrayBuffer }

const HEADER = 24, ENTRY = 16;

export function readBinary(buffer: ArrayBuffer): Binary {
    const view = new DataView(buffer);
    if (view.getUint32(0, true) !== MAGIC) throw new Error('not a message of the engine');
    const parts: Part[] = [];
    for (let i = 0; i < view.getUint32(8, true); ++i) {
        const at = HEADER + ENTRY * i;
        parts.push({
            type: view.getUint32(at, true), object: view.getUint32(at + 4, true), count: view.getUint32(at + 8, true),
            offset: view.getUint32(at + 12, true),
        });
    }
    return { kind: view.getUint32(4, true), frame: view.getUint32(12, true), time: view.getFloat64(16, true), parts, buffer };
}

export const floats = (b: Binary, p: Part, width: number) => new Float32Array(b.buffer, p.offset, p.count * width);
export const doubles = (b: Binary, p: Part, width: number) => new Float64Array(b.buffer, p.offset, p.count * width);
export const indices = (b: Binary, p: Part, width: number) => new Uint32Array(b.buffer, p.offset, p.count * width);
export const bytes = (b: Binary, p: Part) => new Uint8Array(b.buffer, p.offset, p.count);
export const text = (b: Binary, p: Part) => new TextDecoder().decode(bytes(b, p));

export function writeUpload(name: string, content: Uint8Array): ArrayBuffer {
    const word = new TextEncoder().encode(name);
    const first = HEADER + 2 * ENTRY, second = (first + word.length + 7) & ~7;
    const buffer = new ArrayBuffer(second + content.length), view = new DataView(buffer);
    [MAGIC, Kind.UPLOAD, 2].forEach((value, i) => view.setUint32(4 * i, value, true));
    [Section.TEXT, 0, word.length, first].forEach((value, i) => view.setUint32(HEADER + 4 * i, value, true));
    [Section.BYTES, 0, content.length, second].forEach((value, i) => view.setUint32(HEADER + ENTRY + 4 * i, value, true));
    new Uint8Array(buffer).set(word, first);
    new Uint8Array(buffer).set(content, second);
    return buffer;
}
