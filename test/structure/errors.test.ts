import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ExitCode } from '@rmqns/program';
import * as remoting from '@rmqns/remoting';
import { RemotingErrorCode } from '@rmqns/remoting';
import { repositoryRoot } from '@rmqns/test-kit';
import { expect } from 'chai';

/** The rows of the table below a heading of docs/errors.md, without backticks. */
function tableBelow(heading: string): string[][] {
  const text = readFileSync(join(repositoryRoot, 'docs/errors.md'), 'utf8');
  const section = text.split(/^## /m).find((each) => each.startsWith(`${heading}\n`)) ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('|'));
  return rows.slice(2).map((row) =>
    row
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim().replaceAll('`', '')),
  );
}

describe('docs/errors.md', () => {
  it('names every code of RemotingError and no other', () => {
    expect(tableBelow('RemotingError').map(([code]) => code)).to.deep.equal(Object.values(RemotingErrorCode));
  });

  it('names every code of NamesrvError and no other', async () => {
    // Only its type is public.
    const url = pathToFileURL(join(repositoryRoot, 'packages/namesrv/dist/src/errors.js'));
    const { NamesrvErrorCode } = (await import(url.href)) as { NamesrvErrorCode: Record<string, string> };
    expect(tableBelow('NamesrvError').map(([code]) => code)).to.deep.equal(Object.values(NamesrvErrorCode));
  });

  it('names every exit code and no other', () => {
    const rows = tableBelow('Exit codes').map(([code, name]) => [name, Number(code)]);
    expect(rows).to.deep.equal(Object.entries(ExitCode));
  });

  it('names for each Java exception our class and its code', () => {
    const rows = tableBelow('Java exceptions');
    expect([...new Set(rows.map(([, , code]) => code))].sort()).to.deep.equal(Object.values(RemotingErrorCode).sort());
    const made = [
      new remoting.ConnectError('x'),
      new remoting.SendError('x'),
      new remoting.TimeoutError('x'),
      new remoting.TooManyRequestsError('x'),
      new remoting.ClosedError('CONNECTION_CLOSED', 'x'),
      new remoting.ClosedError('CLOSED', 'x'),
      new remoting.CommandError(1),
      new remoting.DecodeError('x'),
      new remoting.FrameTooLargeError(2, 1),
    ].map(({ code, name }) => `${name} ${code}`);
    const named = rows.map(([, ours, code]) => `${ours} ${code}`).filter((text) => !text.startsWith('RemotingError '));
    expect(named.sort()).to.deep.equal(made.sort());
  });

  it('says for each what it means and what to do', () => {
    for (const heading of ['RemotingError', 'Java exceptions', 'NamesrvError', 'Exit codes'])
      for (const row of tableBelow(heading))
        expect(
          row.every((cell) => cell !== ''),
          row.join(' | '),
        ).to.equal(true);
  });
});
