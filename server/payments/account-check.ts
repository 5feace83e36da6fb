/** Asks an account's provider something harmless, and tells the operator what is wrong. It changes nothing. */
import type { Context } from '../context.ts'
import type { Finding } from '../providers/driver.ts'
import type { ReadyRoute } from '../providers/registry.ts'
import { callProvider } from './provider-call.ts'

const CHECK_TIMEOUT_MS = 15_000

/** Returns what the driver found. A driver without `check` says so; a provider that cannot be reached is a finding too. */
export async function checkAccount(ctx: Context, account: ReadyRoute): Promise<Finding[]> {
  const { check, label } = account.driver
  if (!check) return [{ ok: true, message: `${label} has nothing that could be tested.` }]
  try {
    return await callProvider(ctx, account, { timeoutMs: CHECK_TIMEOUT_MS, about: null }, (call) =>
      check(call),
    )
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return [{ ok: false, message: `${label} gave no usable answer: ${message}.` }]
  }
}
