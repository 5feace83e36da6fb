/** The tests that are skipped on some machines, and where the guide says why. A new skip needs its file here, and a row in the guide. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { GUIDE } from './long/guide.ts'
import { ROOT } from './long/runs.ts'

const SKIP = /\b(test|describe)\.(skipIf|runIf|skip)\(|\bskip\(/
/** Its own pattern, and a tool that is no test. */
const NO_TESTS = ['server/testing/skips.test.ts', 'server/testing/snapshots/snapshot.long.ts']

/** By the beginning of the guide's row. */
const SKIPPED: Record<string, readonly string[]> = {
  'The simulators and drivers': [
    'server/providers/paypal/documents.test.ts',
    'server/providers/paypal/words.test.ts',
    'server/providers/stripe/fixtures.test.ts',
  ],
  'Clients, examples and kits': [
    'server/documents/reference/kits.test.ts',
    'server/documents/reference/kits-crash.long.ts',
    'server/documents/reference/pages.suite.ts',
    'server/clients/vectors.test.ts',
    'server/clients/scenarios.test.ts',
    'server/plugins/woocommerce/woocommerce.test.ts',
    'server/clients/unreached.test.ts',
    'server/clients/php-database.test.ts',
  ],
  'The reverse proxies': ['server/deploy/proxies.test.ts'],
  'The pooler': ['server/storage/pooler.test.ts'],
  'Queries of the alerts': ['server/deploy/alerts.test.ts', 'server/deploy/alerts-firing.long.ts'],
  'The SQL files': ['server/deploy/database.test.ts'],
  Firefox: ['e2e/firefox.spec.ts'],
  '`npm run dev` and': ['server/dev.long.ts', 'server/npm-start.long.ts'],
  'A host name with': ['server/outbound/outbound.test.ts'],
  'Accounts without a name': [
    'server/start/nameless.long.ts',
    'server/backup/verify.long.ts',
    'server/postgres/embedded.long.ts',
    'server/diagnosis/diagnosis.long.ts',
  ],
  'The archive under systemd': ['server/release/systemd.long.ts'],
  'The guides as they stand': ['server/guides/walked.long.ts'],
  'Another PostgreSQL': ['server/backup/other-server.long.ts', 'server/diagnosis/diagnosis.long.ts'],
  'The shop platforms': ['server/testing/platforms/platforms.suite.ts'],
  'The build before': ['server/release/upgrade.long.ts', 'server/storage/upgrade/build-before.long.ts'],
}

test('each file that skips a test belongs to a row of the guide, and each row to a file', () => {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  const files = listed.split('\n').filter((file) => /\.(test|suite|long|spec)\.tsx?$/.test(file))
  const skipping = files.filter((file) => SKIP.test(readFileSync(`${ROOT}${file}`, 'utf8')))
  const known = new Set(Object.values(SKIPPED).flat())
  expect([...known].sort()).toEqual(skipping.filter((file) => !NO_TESTS.includes(file)).sort())
})

test('the guide has a row for each of them, and no other', () => {
  const [, part = ''] = readFileSync(GUIDE, 'utf8').split('## Skipped tests')
  const rows = part.split('\n').filter((line) => /^\| (?!What is skipped)/.test(line))
  const begins = Object.keys(SKIPPED)
  expect(rows.map((row) => begins.find((begin) => row.startsWith(`| ${begin}`)) ?? row)).toEqual(begins)
})
