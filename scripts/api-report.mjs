// Writes what @rmqns/remoting exports, entry by entry, to packages/remoting/api/*.api.md; with --check it compares instead, and ends with 1
// where they differ. A change of the public surface so shows in review, as a change of these files.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Extractor, ExtractorConfig } from '@microsoft/api-extractor';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const folder = join(root, 'packages/remoting');
const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
const isCheck = process.argv.includes('--check');
const temporary = mkdtempSync(join(tmpdir(), 'rmqns-api-'));

/** True when the report of an entry was right, or has been written. */
function report(subpath, types) {
  const name = subpath === '.' ? 'index' : subpath.slice(2);
  const reportFolder = join(folder, 'api');
  mkdirSync(reportFolder, { recursive: true });
  const config = ExtractorConfig.prepare({
    configObjectFullPath: join(folder, `api-extractor.${name}.json`),
    packageJsonFullPath: join(folder, 'package.json'),
    packageJson: manifest,
    projectFolderLookupToken: folder,
    configObject: {
      projectFolder: folder,
      mainEntryPointFilePath: join(folder, types),
      compiler: { tsconfigFilePath: join(folder, 'tsconfig.json'), skipLibCheck: true },
      newlineKind: 'lf',
      apiReport: { enabled: true, reportFolder, reportTempFolder: temporary, reportFileName: name },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      messages: {
        // Doc comments are typedoc's affair, and helper types that no entry exports are meant to be unnamed.
        compilerMessageReporting: { default: { logLevel: 'warning' } },
        extractorMessageReporting: { default: { logLevel: 'none' } },
        tsdocMessageReporting: { default: { logLevel: 'none' } },
      },
    },
  });
  const problems = [];
  const result = Extractor.invoke(config, {
    localBuild: !isCheck,
    messageCallback: (message) => {
      message.handled = true;
      const isOfReport = message.messageId.startsWith('console-api-report');
      if (!isOfReport && (message.logLevel === 'error' || message.logLevel === 'warning')) problems.push(message.text);
    },
  });
  if (isCheck && (result.apiReportChanged || !existsSync(join(reportFolder, `${name}.api.md`)))) {
    const entry = `${manifest.name}${subpath.slice(1)}`;
    process.stdout.write(`packages/remoting/api/${name}.api.md is not what ${entry} exports; run npm run api.\n`);
    return false;
  }
  for (const problem of problems) process.stdout.write(`${name}: ${problem}\n`);
  return isCheck ? result.succeeded : true;
}

const results = Object.entries(manifest.exports).map(([subpath, { types }]) => report(subpath, types));
rmSync(temporary, { recursive: true, force: true });
process.exitCode = results.every(Boolean) ? 0 : 1;
