/**
 * Whether an account is being recorded: for a test of the account, every process stores what its driver says to the provider, with
 * stand-ins for everything private. The live world is never recorded.
 */
import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import type { Context } from '../context.ts'
import type { Witness } from '../providers/driver/witness.ts'
import { type Account, DRIVERS } from '../providers/registry.ts'
import { createWitness } from '../recording/witness.ts'
import { deleteAccountFact, saveAccountFact } from '../storage/accounts/facts.ts'
import { insertRecordedCall } from '../storage/accounts/recorded-calls.ts'
import { recallFacts } from './facts.ts'

/** The name of the fact. It is no right. */
const RECORDING = 'recording'
const Recording = z.object({ key: z.string(), until: z.coerce.date() })

/**
 * Begins a recording, or makes the one that runs last longer. Other processes know of it within a second. It ends by itself at `until`,
 * so that a command that was killed leaves nothing running.
 */
export async function holdRecording(
  ctx: Context,
  accountId: string,
  key: string,
  until: Date,
): Promise<void> {
  if (ctx.world !== 'sandbox') throw new Error('Bug! An account of the live world is to be recorded.')
  await saveAccountFact(ctx.db, {
    accountId,
    name: RECORDING,
    value: { key, until },
    reason: 'A test of the account is being recorded.',
    source: 'test',
    learnedAt: ctx.clock.now(),
  })
  ctx.accounts.forget()
  await ctx.accounts.read()
}

/** A key for a new recording. */
export const newRecordingKey = () => randomBytes(32).toString('hex')

/** Deletes the key, so that nobody can check a guess about what was replaced. */
export async function endRecording(ctx: Context, accountId: string): Promise<void> {
  await deleteAccountFact(ctx.db, accountId, RECORDING)
  ctx.accounts.forget()
}

/**
 * Reads whether any account is being recorded, so that recallRecordingKey is at most a second old: another process may have begun. A
 * call does not fail because of it.
 */
export async function refreshRecordings(ctx: Pick<Context, 'accounts' | 'world'>): Promise<void> {
  if (ctx.world === 'sandbox') await ctx.accounts.read().catch(() => {})
}

/** Returns the key of the account's recording, from memory. Null if it is not being recorded. */
export function recallRecordingKey(
  ctx: Pick<Context, 'accounts' | 'clock' | 'world'>,
  accountId: string,
): string | null {
  const fact = ctx.world === 'sandbox' ? recallFacts(ctx, accountId).get(RECORDING) : undefined
  const recording = fact && Recording.safeParse(fact.value).data
  return recording && ctx.clock.now() < recording.until ? recording.key : null
}

/** Returns what the driver's call gets while the account is recorded: a witness that stores the call. `about`: as in provider-call.ts. */
export function witnessFor(
  ctx: Context,
  { id: accountId, driverName, driver, settings }: Account,
  about: string | null,
): { witness?: Witness } {
  const key = recallRecordingKey(ctx, accountId)
  const recordable = DRIVERS[driverName]?.proof?.recordable
  if (key === null || !recordable) return {}
  const origins = (driver.addresses?.(settings) ?? []).map((each) => new URL(each).origin)
  const now = () => ctx.clock.now()
  const witness = createWitness({ key, recordable, origins }, now, (call) =>
    insertRecordedCall(ctx.db, { accountId, about, call, createdAt: now() }).catch((error: unknown) =>
      ctx.log.warn({ err: error, accountId }, 'a call could not be recorded'),
    ),
  )
  return { witness }
}
