import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { repositoryRoot } from '@rmqns/test-kit';
import { expect } from 'chai';

const pages = [
  'README.md',
  'bench/README.md',
  'packages/remoting/README.md',
  ...readdirSync(join(repositoryRoot, 'docs'))
    .filter((name) => name.endsWith('.md') && !name.includes('template'))
    .map((name) => `docs/${name}`),
];

/** The anchors of a page's headings, as GitHub makes them. */
function anchorsOf(text: string): Set<string> {
  const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => heading);
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replace(/[^\w\- ]/g, '')
        .replaceAll(' ', '-'),
    ),
  );
}

/** Links within the repository that lead nowhere. */
function deadLinksOf(page: string, text: string): string[] {
  const folder = dirname(join(repositoryRoot, page));
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link = '']) => link)
    .filter((link) => !/^[a-z]+:/.test(link))
    .filter((link) => {
      const [path = '', anchor] = link.split('#');
      if (path !== '' && !existsSync(join(folder, path))) return true;
      if (anchor === undefined) return false;
      return !anchorsOf(path === '' ? text : readFileSync(join(folder, path), 'utf8')).has(anchor);
    })
    .map((link) => `${page}: ${link}`);
}

describe('the links on the pages', () => {
  it('lead somewhere', () => {
    const dead = pages.flatMap((page) => deadLinksOf(page, readFileSync(join(repositoryRoot, page), 'utf8')));
    expect(dead).to.deep.equal([]);
  });

  it('would be named if they did not', () => {
    const text =
      '# One & two\n[a](b.md) [c](#one--two) [d](#three) [e](errors.md#exit-codes) [f](errors.md#g) [h](https://example.org/i)';
    expect(deadLinksOf('docs/page.md', text)).to.deep.equal([
      'docs/page.md: b.md',
      'docs/page.md: #three',
      'docs/page.md: errors.md#g',
    ]);
  });
});
