/** A process of the fleet that dies at a point of what it was asked for. The others go on. */
import { startCrashingKassa } from '../../processes/crashing-kassa.ts'
import type { Random } from '../../random.ts'
import { type Fleet, pick, type Ship } from './fleet.ts'

const POINTS = {
  creation: [
    'after insert_payment',
    'before note_opening_sent',
    'after note_opening_sent',
    'before finish_opening',
    'after finish_opening',
    'before answer',
  ],
  operation: [
    'after insert_operation',
    'before mark_operation_sent',
    'after mark_operation_sent',
    'before write_entries',
    'before update_operation',
    'after update_operation',
  ],
  return: ['after claim_finalizing', 'before write_entries', 'after write_entries', 'before answer'],
} as const
/** Of 16 processes that work on something one dies. */
const ONE_OF = 16
/** The lease of the dead ends after so long. */
const LEASE_SECONDS = 4

/** Asks the service at an address. If its process `isMortal`, it may die meanwhile, and the answer is null. */
export async function askMortal<Answer>(
  { kassa }: Fleet,
  ship: Ship,
  random: Random,
  what: keyof typeof POINTS,
  ask: (url: string, isMortal: boolean) => Promise<Answer>,
): Promise<Answer | null> {
  if (random(0, ONE_OF) > 0) return ask(kassa.url, false)
  const crash = { at: pick(random, POINTS[what]), nth: random(1, 3) }
  const { databaseUrl, clock } = kassa
  const dying = await startCrashingKassa({
    databaseUrl,
    clock,
    bankUrl: '',
    crash,
    leaseSeconds: LEASE_SECONDS,
    sweep: 'moneyOperations',
  })
  const answer = await ask(dying.url, true).catch(() => null)
  if (dying.reached() !== null) ship.deaths += 1
  await dying.kill()
  return answer
}
