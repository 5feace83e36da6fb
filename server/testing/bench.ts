/** The benchmarks: `npm run bench -- CASE`. Compare only the ratios within one run, because machines differ. */
import { type Case, runCase } from './cases.ts'

const bench = (what: string, file: string, ...words: string[]): Case => ({
  what,
  runs: [['node', file, ...words]],
})
const comparison = (what: string, name: string) => bench(what, 'server/bench/compare.ts', name)

export const BENCHES: Record<string, Case> = {
  creation: comparison('creating payments, beside servers that only write rows', 'creation'),
  'look-up': comparison('looking up settled payments, beside one indexed select', 'look-up'),
  events: comparison('sending events, beside bare posts', 'events'),
  processes: comparison('creating payments in one, two and three processes', 'processes'),
  memory: bench('memory at rest, under load and afterwards', 'server/bench/memory.ts'),
  worlds: bench('live creations beside a busy sandbox', 'server/bench/worlds.ts'),
  unwell: bench('what accounts that are out of order cost the others', 'server/bench/unwell.ts'),
  attacker: bench('what one caller can cost within the limits', 'server/bench/attacker.ts'),
  strangers: bench('what callers without a token can cost', 'server/bench/strangers.ts'),
  refunds: bench('67 refunds a second, with and without Prefer: wait', 'server/bench/money/refunds.ts'),
  statement: {
    what: 'a statement of a million lines in two passes: memory and time',
    runs: [['node', '--expose-gc', '--max-semi-space-size=4', 'server/bench/statement.ts']],
  },
  'sign-ins': bench(
    'signing in while wrong passwords come from 8 networks',
    'server/bench/access/sign-ins.ts',
  ),
  console: bench('the first paint of the console on a slow phone', 'e2e/bench/console.ts'),
}

if (import.meta.main) runCase('bench', BENCHES, process.argv.slice(2))
