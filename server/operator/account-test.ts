/**
 * Tests an account: sends its provider harmless requests, says in plain words what is wrong, and keeps what they show about the
 * account's health and rights.
 */
import { findAccount, whyNotReady } from '../accounts/choice.ts'
import { noteRight } from '../accounts/facts.ts'
import { noteHealth, recallHealth } from '../accounts/health.ts'
import { getAccountView } from '../accounts/manage.ts'
import type { Context } from '../context.ts'
import { NO_MERCHANT, newId, referenceOf } from '../id.ts'
import { callProvider } from '../payments/provider-call.ts'
import type { Finding } from '../providers/driver.ts'
import type { Account } from '../providers/registry.ts'

const TESTING = { timeoutMs: 10_000, about: null }

/** Returns what was found, problems included. Nothing is created at the provider. @throws AppError not_found */
export async function testAccount(ctx: Context, accountId: string): Promise<Finding[]> {
  await getAccountView(ctx, accountId)
  const account = await findAccount(ctx, accountId)
  if (!account) return [{ ok: false, message: whyNotReady(ctx, accountId) }]
  const settings = { ok: true, message: 'The settings are complete, and the credentials open.' }
  return [settings, ...(await checkAccount(ctx, account))]
}

/** Asks the provider, and stores what its answers show. */
export async function checkAccount(ctx: Context, account: Account): Promise<Finding[]> {
  const findings = await askProvider(ctx, account)
  await noteFindings(ctx, account, findings)
  return findings
}

async function noteFindings(ctx: Context, { id }: Account, findings: Finding[]): Promise<void> {
  for (const { ok, right, message } of findings)
    if (right) await noteRight(ctx, { id }, { right, granted: ok, reason: message, source: 'test' })
  const refused = findings.find(({ refusal }) => refusal)
  if (refused?.refusal)
    return noteHealth(ctx, id, { state: 'refusing', refusal: refused.refusal, reason: refused.message })
  const { state, refusal } = recallHealth(ctx, id)
  // Credentials that open one door are accepted. That payments are taken has to be shown.
  const isMended = findings.some(({ ok, right }) => ok && (refusal === 'credentials' || right === 'payment'))
  if (state === 'refusing' && isMended) await noteHealth(ctx, id, { state: 'ok', reason: null })
}

async function askProvider(ctx: Context, account: Account): Promise<Finding[]> {
  const { check, lookUp, label } = account.driver
  try {
    if (check) return await callProvider(ctx, account, TESTING, (call) => check(call))
    if (!lookUp) return [{ ok: true, message: `${label} cannot be asked, so there is nothing more to test.` }]
    return [await askAboutNothing(ctx, account)]
  } catch (error) {
    return [{ ok: false, message: `${label} did not answer as expected: ${(error as Error).message}` }]
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
    return { ok: true, message: `${driver.label} answers, and accepts the credentials.` }
  const why =
    answer?.kind === 'unavailable' ? answer.message : 'it says that it knows an order that does not exist'
  return { ok: false, message: `${driver.label} cannot be asked: ${why}` }
}
