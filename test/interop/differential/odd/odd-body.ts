import type { Random } from '../random.js';
import { ODD_BODY_VALUES } from './odd-values.js';

/** JSON as a tree of which any piece can be exchanged for other text. */
export type Tree =
  | string
  | { readonly members: readonly (readonly [name: string, value: Tree])[] }
  | { readonly items: readonly Tree[] };

export function tree(value: unknown): Tree {
  if (Array.isArray(value)) return { items: value.map(tree) };
  if (value !== null && typeof value === 'object') {
    return { members: Object.entries(value).map(([name, member]) => [JSON.stringify(name), tree(member)]) };
  }
  return JSON.stringify(value);
}

export function textOf(node: Tree): string {
  if (typeof node === 'string') return node;
  if ('items' in node) return `[${node.items.map(textOf).join()}]`;
  return `{${node.members.map(([name, value]) => `${name}:${textOf(value)}`).join()}}`;
}

function size(node: Tree): number {
  if (typeof node === 'string') return 1;
  if ('items' in node) return 1 + node.items.reduce((sum, item) => sum + size(item), 0);
  return 1 + node.members.reduce((sum, [, value]) => sum + size(value), 0);
}

/** The tree with one piece changed; what is said of it. */
export function edit(node: Tree, random: Random): { readonly tree: Tree; readonly note: string } {
  let at = random.below(size(node));
  let note = '';
  const walk = (piece: Tree, path: string): Tree => {
    at -= 1;
    if (at === -1) {
      const other = change(piece, random);
      note = `${path}: ${other.note}`;
      return other.tree;
    }
    if (typeof piece === 'string' || at < 0) return piece;
    if ('items' in piece) return { items: piece.items.map((item, index) => walk(item, `${path}[${index}]`)) };
    return { members: piece.members.map(([name, value]) => [name, walk(value, `${path}.${name}`)]) };
  };
  const changed = walk(node, '');
  return { tree: changed, note };
}

function change(piece: Tree, random: Random): { readonly tree: Tree; readonly note: string } {
  const value = random.pick(ODD_BODY_VALUES);
  if (typeof piece === 'string' || random.once(4)) return { tree: value, note: `is ${value}` };
  if ('items' in piece) {
    if (random.once(2)) return { tree: { items: piece.items.slice(1) }, note: 'lacks an item' };
    return { tree: { items: [...piece.items, '"more"'] }, note: 'has more' };
  }
  const members = [...piece.members];
  const index = random.below(members.length);
  const [name, inner] = members[index] ?? ['"none"', '1'];
  const bare = name.slice(1, -1);
  const renamed = random.pick([
    () => bare,
    () => `'${bare}'`,
    () => JSON.stringify(bare.toUpperCase()),
    () => JSON.stringify(bare.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)),
    () => JSON.stringify(bare.replace(/[A-Z]/g, (letter) => `-${letter}`)),
    () => JSON.stringify(`${bare}x`),
    () => JSON.stringify(` ${bare}`),
    () => JSON.stringify(`${bare[0]?.toUpperCase()}${bare.slice(1)}`),
    () => `"\\u${bare.charCodeAt(0).toString(16).padStart(4, '0')}${bare.slice(1)}"`,
  ] as const)();
  return random.weighted<() => { tree: Tree; note: string }>([
    [3, () => ({ tree: { members: members.filter((_, each) => each !== index) }, note: `lacks ${name}` })],
    [3, () => ({ tree: { members: members.toSpliced(index, 1, [renamed, inner]) }, note: `${name} is ${renamed}` })],
    [2, () => ({ tree: { members: [...members, ['"nobodyKnows"', value]] }, note: `has nobodyKnows ${value}` })],
    [1, () => ({ tree: { members: members.toReversed() }, note: 'is reversed' })],
    [1, () => ({ tree: { members: members.map(([each, one]) => [` ${each}\t`, one]) }, note: 'has blanks' })],
    [1, () => ({ tree: { members: members.toSpliced(index, 0, ['/*c*/"c"', '1']) }, note: 'has a comment' })],
  ])();
}
