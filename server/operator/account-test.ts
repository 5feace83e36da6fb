/** Tests an account: sends its provider a harmless request, and says in plain words what is wrong. */
import { findAccount, whyNotReady } from '../accounts/choice.ts'
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
  return [settings, ...(await askProvider(ctx, account))]
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
