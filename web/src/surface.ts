// Surfaces as they are drawn: vertices are split where the shape has an edge, so that cubes have edges and balls none.
// Normals follow the moving vertices. This is shading; positions come from the engine.
import * as THREE from 'three';

const CREASE = Math.cos((38 * Math.PI) / 180);

export class Surface {
    readonly geometry = new THREE.BufferGeometry();
    private source: Uint32Array;   // vertex of the engine behind each that is drawn
    private corner: Uint32Array;   // triangles of drawn vertices
    private position: Float32Array;
    private normal: Float32Array;
    private colour: Float32Array | null = null;

    // `positions`: where vertices are now, which decides where edges are; `smooth`: there are none (cloth)
    constructor(triangles: Uint32Array, positions: Float32Array, smooth: boolean) {
        const split = smooth ? keepAll(triangles, positions.length / 3) : splitAtCreases(triangles, positions);
        this.source = split.source;
        this.corner = split.corner;
        this.position = new Float32Array(3 * this.source.length);
        this.normal = new Float32Array(3 * this.source.length);
        this.geometry.setAttribute('position', new THREE.BufferAttribute(this.position, 3).setUsage(THREE.DynamicDrawUsage));
        this.geometry.setAttribute('normal', new THREE.BufferAttribute(this.normal, 3).setUsage(THREE.DynamicDrawUsage));
        this.geometry.setIndex(new THREE.BufferAttribute(this.corner, 1));
        this.move(positions);
    }

    move(positions: Float32Array) {
        const { source, corner, position, normal } = this;
        for (let i = 0; i < source.length; ++i) {
            const from = 3 * source[i];
            position[3 * i] = positions[from];
            position[3 * i + 1] = positions[from + 1];
            position[3 * i + 2] = positions[from + 2];
        }
        normal.fill(0);
        for (let t = 0; t < corner.length; t += 3) {
            const a = 3 * corner[t], b = 3 * corner[t + 1], c = 3 * corner[t + 2];
            const ux = position[b] - position[a], uy = position[b + 1] - position[a + 1], uz = position[b + 2] - position[a + 2];
            const vx = position[c] - position[a], vy = position[c + 1] - position[a + 1], vz = position[c + 2] - position[a + 2];
            const nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
            for (const k of [a, b, c]) { normal[k] += nx; normal[k + 1] += ny; normal[k + 2] += nz; }
        }
        for (let i = 0; i < normal.length; i += 3) {
            const length = Math.hypot(normal[i], normal[i + 1], normal[i + 2]) || 1;
            normal[i] /= length; normal[i + 1] /= length; normal[i + 2] /= length;
        }
        this.geometry.attributes.position.needsUpdate = true;
        this.geometry.attributes.normal.needsUpdate = true;
        this.geometry.computeBoundingSphere();
        this.geometry.boundingBox = null;
    }

    // colours of the field shown: `value` per vertex of the engine, `most` has the last colour of the map
    paint(values: Float32Array, most: number) {
        if (!this.colour) {
            this.colour = new Float32Array(3 * this.source.length);
            this.geometry.setAttribute('color', new THREE.BufferAttribute(this.colour, 3).setUsage(THREE.DynamicDrawUsage));
        }
        for (let i = 0; i < this.source.length; ++i) fieldColour(values[this.source[i]] / (most || 1), this.colour, 3 * i);
        this.geometry.attributes.color.needsUpdate = true;
    }

    dispose() { this.geometry.dispose(); }
}

// ---- edges ----------------------------------------------------------------------------------------------------------

function keepAll(triangles: Uint32Array, count: number) {
    return { source: Uint32Array.from({ length: count }, (_, i) => i), corner: triangles.slice() };
}

function splitAtCreases(triangles: Uint32Array, positions: Float32Array) {
    const faceCount = triangles.length / 3, face = new Float32Array(3 * faceCount);
    const at = (v: number) => new THREE.Vector3(positions[3 * v], positions[3 * v + 1], positions[3 * v + 2]);
    for (let f = 0; f < faceCount; ++f) {
        const a = at(triangles[3 * f]), b = at(triangles[3 * f + 1]), c = at(triangles[3 * f + 2]);
        b.sub(a).cross(c.sub(a)).normalize().toArray(face, 3 * f);
    }
    const around: number[][] = Array.from({ length: positions.length / 3 }, () => []);
    for (let k = 0; k < triangles.length; ++k) around[triangles[k]].push(k);
    const source: number[] = [], corner = new Uint32Array(triangles.length);
    around.forEach((corners, vertex) => {
        // corners whose faces are nearly level share a drawn vertex: with the first of a cluster, and so on from face to face
        const left = new Set(corners);
        while (left.size > 0) {
            const drawn = source.push(vertex) - 1, open = [left.values().next().value as number];
            left.delete(open[0]);
            while (open.length > 0) {
                const k = open.pop() as number, f = 3 * Math.floor(k / 3);
                corner[k] = drawn;
                for (const other of left) {
                    const g = 3 * Math.floor(other / 3);
                    if (face[f] * face[g] + face[f + 1] * face[g + 1] + face[f + 2] * face[g + 2] < CREASE) continue;
                    left.delete(other);
                    open.push(other);
                }
            }
        }
    });
    return { source: Uint32Array.from(source), corner };
}

// ---- colours of fields ----------------------------------------------------------------------------------------------

// from calm to much: monotone in lightness, so that it reads without colour too
export const RAMP = ['#20386b', '#21618c', '#2f8f8b', '#79b66a', '#e0c14b', '#f3e9a8'];
const ramp = RAMP.map((name) => new THREE.Color(name));

export function fieldColour(share: number, out: Float32Array | number[], offset: number) {
    const at = Math.min(Math.max(share, 0), 1) * (ramp.length - 1), low = Math.min(Math.floor(at), ramp.length - 2), rest = at - low;
    out[offset] = ramp[low].r + rest * (ramp[low + 1].r - ramp[low].r);
    out[offset + 1] = ramp[low].g + rest * (ramp[low + 1].g - ramp[low].g);
    out[offset + 2] = ramp[low].b + rest * (ramp[low + 1].b - ramp[low].b);
}
