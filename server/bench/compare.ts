/**
 * Compares Kassa with baselines and with earlier builds of it, in alternating rounds on one PostgreSQL. The first argument names the
 * comparison. Each is measured steady and after a pause. Compare only the ratios within one run, because machines differ.
 */
import { Argument, Command, Option } from 'commander'
import { VERSION } from '../version.ts'
import { atLeast } from './at-least.ts'
import { COMPARISONS, type Comparison } from './comparisons.ts'
import { addEntry, findChangedPins, findFalls, readHistory, writeHistory } from './history.ts'
import { findRatios, table } from './report.ts'
import { type Plan, runRounds, type State } from './rounds.ts'
import { openScene } from './scene.ts'

type Options = {
  rounds: number
  amount?: number
  connections?: number[]
  state: State | 'both'
  pause: number
  against: string[]
  record: boolean
  json: boolean
}

const severalAtLeast = (least: number) => (text: string) => text.split(',').map(atLeast(least))

const command = new Command('bench')
  .addArgument(new Argument('<case>').choices(Object.keys(COMPARISONS)))
  .option('--rounds <n>', 'turns of every server; figures are medians over them', atLeast(1), 5)
  .option('--amount <n>', 'length of a steady turn: seconds, or the number of events', atLeast(1))
  .option('--connections <n,n>', 'requests at once, one number or several', severalAtLeast(1))
  .addOption(
    new Option('--state <state>', 'what is measured').choices(['steady', 'pause', 'both']).default('both'),
  )
  .option('--pause <n>', 'seconds without requests before a turn after a pause', atLeast(1), 30)
  .option(
    '--against <dir...>',
    'earlier builds, each a checkout with its node_modules, to measure beside this one',
    [],
  )
  .option('--record', 'write the ratios into history.json as those of this release', false)
  .option('--json', 'one JSON object instead of the tables', false)

function planOf(comparison: Comparison, options: Options): Plan {
  const { amounts, connections } = comparison
  const { amount } = options
  const steady = amounts.steady.seconds
    ? { seconds: amount ?? amounts.steady.seconds }
    : { count: amount ?? amounts.steady.count ?? 0 }
  return {
    rounds: options.rounds,
    states: options.state === 'both' ? ['steady', 'pause'] : [options.state],
    connections: options.connections ?? connections,
    amounts: { ...amounts, steady },
    pauseSeconds: options.pause,
  }
}

async function run(name: string, options: Options): Promise<void> {
  const comparison = COMPARISONS[name]
  if (!comparison) throw new Error(`There is no comparison ${name}.`)
  const history = await readHistory()
  const changed = await findChangedPins(history)
  if (changed.length > 0)
    throw new Error(
      `What the ratios depend on has changed: ${changed.join(', ')}. Old ratios do not compare.`,
    )
  await using stack = new AsyncDisposableStack()
  const scene = await openScene(stack, options.against)
  const cells = await comparison.prepare(scene)
  const onProgress = (line: string) => console.error(line)
  const turns = await runRounds(planOf(comparison, options), {
    cells,
    postmasterPid: scene.postmasterPid,
    onProgress,
  })
  for (const cell of cells) await cell.verify?.()
  const ratios = findRatios(turns)
  const falls = findFalls(history.cases[name] ?? [], ratios)
  const { baselines, aims } = comparison
  if (options.record) await writeHistory(addEntry(history, { name, release: VERSION, ratios, baselines }))
  if (options.json) console.log(JSON.stringify({ name, options, ratios, falls, turns }))
  else console.log(`\n${[table(turns, ratios), aims, ...falls].join('\n\n')}`)
}

command.parse()
await run(command.args[0] ?? '', command.opts<Options>())
