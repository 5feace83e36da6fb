/**
 * Random histories of payments at Stripe, PayPal and a bank. One seed is one history: the same acts in the same order, so a history
 * that breaks a rule is repeated with fewer acts, and printed.
 */
import { seededRandom } from '../random.ts'
import { ACTS, type Act } from './acts.ts'
import { calmDown } from './calm.ts'
import { advance, type History, newHistory, tellReturns } from './history.ts'
import { findAtOnce, findAtTheEnd } from './rules.ts'
import { cancelAny, SCENES } from './scenes.ts'
import { closeWorld, resetWorld, startWorld, type World } from './world.ts'

const STEPS = { ...ACTS, ...SCENES, cancelAny } satisfies Record<string, Act>
type Kind = keyof typeof STEPS
export type Step = { kind: Kind; at: number; size: number }

/** How often each step is chosen, relative to the others. The default is 1 for a single act, and 4 for a scene. */
const WEIGHTS: Partial<Record<Kind, number>> = {
  buy: 4,
  work: 2,
  refund: 3,
  jump: 2,
  letters: 2,
  cross: 6,
  prank: 3,
  payTwice: 6,
  lateMoney: 6,
  partDispute: 8,
  renewal: 6,
  ownAccount: 3,
  byHand: 1,
  paid: 2,
  subscribe: 1,
}
const KINDS = (Object.keys(STEPS) as Kind[]).flatMap((kind) =>
  Array<Kind>(WEIGHTS[kind] ?? (kind in SCENES ? 4 : 1)).fill(kind),
)
const STEPS_LEAST = 3
const STEPS_END = 8
const SIZE_END = 1 << 12

export function stepsOf(seed: number): Step[] {
  const random = seededRandom(seed)
  const count = random(STEPS_LEAST, STEPS_END)
  return Array.from({ length: count }, () => ({
    kind: KINDS[random(0, KINDS.length)] as Kind,
    at: random(0, 3) > 0 ? 0 : random(0, 6),
    size: random(0, SIZE_END),
  }))
}

/** Returns the broken rules, and what happened. */
export async function play(world: World, steps: Step[]): Promise<{ faults: string[]; lines: string[] }> {
  await resetWorld(world)
  const history = newHistory(world)
  const note = async (where: string) => {
    history.faults.push(...(await findAtOnce(history)))
    return history.faults.length > 0
      ? { faults: [...new Set(history.faults)].map((each) => `${where}: ${each}`), lines: history.lines }
      : null
  }
  for (const step of steps) {
    history.lines.push(describe(step))
    await act(history, step)
    advance(history, 500)
    const broken = await note(`after ${step.kind}`)
    if (broken) return broken
  }
  await calmDown(history)
  history.lines.push(...(await tellReturns(history)))
  history.faults.push(...(await findAtTheEnd(history)))
  return (await note('at the end')) ?? { faults: [], lines: history.lines }
}

const describe = ({ kind, at, size }: Step) => `${kind} ${at} ${size}`

async function act(history: History, step: Step): Promise<void> {
  try {
    await STEPS[step.kind](history, step)
  } catch (error) {
    history.faults.push(`${step.kind} failed: ${(error as Error).stack?.split('\n').slice(0, 4).join(' ')}`)
  }
}

/** Leaves out steps as long as some rule stays broken. */
async function shrink(world: World, steps: Step[]): Promise<Step[]> {
  let shortest = steps
  for (let index = shortest.length - 1; index >= 0; index--) {
    const fewer = shortest.filter((_, at) => at !== index)
    if ((await play(world, fewer)).faults.length > 0) shortest = fewer
  }
  return shortest
}

export type Found = { seed: number; after: number; report: string }

/** Runs a history of each seed until one breaks a rule. `lanes` run at once, each with a deployment of its own. Null: none has. */
export async function searchHistories({
  seeds,
  lanes = 1,
  isShrinking = true,
  minutes = Number.POSITIVE_INFINITY,
}: {
  seeds: readonly number[]
  lanes?: number
  isShrinking?: boolean
  /** After so many minutes no other history begins. */
  minutes?: number
}): Promise<Found | null> {
  const left = [...seeds]
  let found: Found | null = null
  const started = performance.now()
  const runLane = async () => {
    const world = await startWorld()
    try {
      while (!found && performance.now() - started < minutes * 60_000) {
        const own = left.shift()
        if (own === undefined) break
        const steps = stepsOf(own)
        const { faults } = await play(world, steps)
        if (faults.length === 0 || found) continue
        found = { seed: own, after: seeds.indexOf(own), report: faults.join('\n') }
        if (isShrinking) found.report = await reportOf(world, own, steps)
      }
    } finally {
      await closeWorld(world)
    }
  }
  await Promise.all(Array.from({ length: lanes }, runLane))
  const seconds = ((performance.now() - started) / 1000).toFixed(0)
  console.info(
    `histories: ${seeds.length - left.length} from seed ${seeds[0]} to ${seeds.at(-1)} in ${seconds} s`,
  )
  return found
}

async function reportOf(world: World, seed: number, steps: Step[]): Promise<string> {
  const fewest = await shrink(world, steps)
  const { faults, lines } = await play(world, fewest)
  const isSame = faults.length > 0
  const head = `the history of seed ${seed}, ${fewest.length} of ${steps.length} steps: ${fewest.map(describe).join(', ')}`
  return [head, ...(isSame ? faults : ['it broke a rule once, and not again']), ...lines].join('\n')
}

/** Runs one history from its steps as they are printed. */
export function readSteps(text: string): Step[] {
  return text.split(',').map((each) => {
    const [kind = '', at = '0', size = '0'] = each.trim().split(' ')
    return { kind: kind as Kind, at: Number(at), size: Number(size) }
  })
}
