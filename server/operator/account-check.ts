/**
 * Checks accounts: sends their providers harmless requests, says in plain words what is wrong, and keeps what they show about the
 * account's health and rights. An account that is not well is checked again by itself.
 */
import { callbackUrlOf, shownReturnUrl } from '../accounts/callback-address.ts'
import { findAccount, whyNotReady } from '../accounts/choice.ts'
import { noteRight } from '../accounts/facts.ts'
import {
  listMistaken,
  noteUnwell,
  noteWell,
  QUESTION_PAUSE_MIN_MS,
  recallHealth,
} from '../accounts/health.ts'
import { getAccountView } from '../accounts/manage.ts'
import { type Context, machineClock } from '../context.ts'
import { NO_MERCHANT, newId, referenceOf } from '../id.ts'
import { noteDoubtsOver } from '../payments/attempts/doubt.ts'
import { callProvider } from '../payments/provider-call.ts'
import { checkRegister } from '../payments/receipts/register-call.ts'
import { type Finding, ok, problem, unknown } from '../providers/driver/finding.ts'
import { watchClock } from '../providers/driver/provider-clock.ts'
import type { Account } from '../providers/registry.ts'
import { claimAccountHealth } from '../storage/accounts/health.ts'

/** A check makes a dozen requests, one after the other. */
const TESTING = { lane: 'buyer', timeoutMs: 30_000, about: null } as const

/** Returns what was found, problems included. Nothing is created at the provider. @throws AppError not_found */
export async function testAccount(ctx: Context, accountId: string): Promise<Finding[]> {
  await getAccountView(ctx, accountId)
  const account = await findAccount(ctx, accountId)
  if (!account) return [problem(whyNotReady(ctx, accountId))]
  return [
    ok('The settings are complete, and the credentials open.'),
    ...(await checkAccount(ctx, account)),
    ...(account.fiscal ? await askRegister(ctx, account.fiscal) : []),
  ]
}

/** The register of the account's receipts. It says nothing about the account itself. */
async function askRegister(ctx: Context, fiscal: NonNullable<Account['fiscal']>): Promise<Finding[]> {
  const { label } = fiscal.driver
  try {
    const found = await checkRegister(ctx, fiscal)
    return found ?? [unknown(`${label}: it is printing now, so it was not asked. Try again in a minute.`)]
  } catch (error) {
    return [problem(`${label} did not answer as expected: ${(error as Error).message}`)]
  }
}

/** Asks the provider, and stores what its answers show. */
async function checkAccount(ctx: Context, account: Account): Promise<Finding[]> {
  const findings = await askProvider(ctx, account)
  await noteFindings(ctx, account, findings)
  return findings
}

async function noteFindings(ctx: Context, { id }: Account, findings: Finding[]): Promise<void> {
  for (const { state, right, message } of findings)
    if (right && state !== 'unknown')
      await noteRight(ctx, { id }, { right, granted: state === 'ok', reason: message, source: 'test' })
  const refused = findings.find(({ state, refusal }) => state === 'problem' && refusal)
  if (refused?.refusal)
    return noteUnwell(ctx, id, { state: 'refusing', refusal: refused.refusal, reason: refused.message })
  const { state, refusal } = recallHealth(ctx, id)
  const isMended = findings.some((each) => each.state === 'ok' && each.refusal === refusal)
  if (state === 'refusing' && refusal !== null && isMended) await noteWell(ctx, id)
}

async function askProvider(ctx: Context, account: Account): Promise<Finding[]> {
  const { check, lookUp, label } = account.driver
  try {
    if (check)
      return await callProvider(ctx, account, TESTING, async (call) => {
        const clock = watchClock(call.http, () => machineClock.now().getTime())
        const { id, driverName: driver } = account
        const given = {
          callbackUrl: callbackUrlOf(ctx, account),
          returnUrl: shownReturnUrl(ctx, { id, driver }),
        }
        const found = await check({ ...call, http: clock.http }, given)
        return [...found, clock.finding()]
      })
    if (!lookUp) return [unknown(`${label} cannot be asked, so there is nothing more to test.`)]
    return [await askAboutNothing(ctx, account)]
  } catch (error) {
    return [problem(`${label} did not answer as expected: ${(error as Error).message}`)]
  }
}

/** Asks about an order that does not exist. A provider that accepts the credentials reports that it does not know the order. */
async function askAboutNothing(ctx: Context, account: Account): Promise<Finding> {
  const { driver } = account
  const reference = referenceOf(newId(ctx.world, 'pay', NO_MERCHANT, ctx.clock.now()))
  const answer = await callProvider(ctx, account, TESTING, async (call) =>
    driver.lookUp?.(call, { reference, state: null }),
  )
  if (answer?.kind === 'not_found')
    return ok(`${driver.label} answers, and accepts the credentials.`, { refusal: 'credentials' })
  const why =
    answer?.kind === 'unavailable' ? answer.message : 'it says that it knows an order that does not exist'
  return problem(`${driver.label} cannot be asked: ${why}`)
}

/** The longest pause between two questions. */
const QUESTION_PAUSE_MAX_MS = 5 * 60_000

/** Asks about one account if it is due. Returns how many were asked: 0 or 1. */
export async function askAgain(ctx: Context, accountId: string): Promise<number> {
  const now = ctx.clock.now()
  const { checks = 0 } = ctx.accounts.recall()?.byId.get(accountId)?.health ?? {}
  const pauseMs = Math.min(QUESTION_PAUSE_MIN_MS * 2 ** Math.min(checks, 10), QUESTION_PAUSE_MAX_MS)
  const claimed = await claimAccountHealth(ctx.db, accountId, {
    now,
    again: new Date(now.getTime() + pauseMs),
  })
  const account = claimed && (await findAccount(ctx, accountId))
  if (!account) return 0
  await checkAccount(ctx, account)
  await noteDoubtsOver(ctx, accountId)
  return 1
}

/** Stores which accounts cannot be opened any more, and which can again. */
export async function noteUnopenable(ctx: Context): Promise<void> {
  for (const { record, problem } of listMistaken(await ctx.accounts.read(), ctx.clock.now()))
    if (problem === null) await noteWell(ctx, record.id)
    else await noteUnwell(ctx, record.id, { state: 'unopenable', reason: problem })
}
