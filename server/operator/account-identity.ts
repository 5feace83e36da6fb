/**
 * Asks a provider whose credentials these are, before and while the service uses them.
 * Rule: the credentials of another contract never become those of an account. New payments would go there, and the account's own
 * payments could not be found any more.
 */
import { findAccount } from '../accounts/choice.ts'
import { refusalIn } from '../accounts/refusal.ts'
import type { Confirm } from '../accounts/set.ts'
import type { Context, Worlds } from '../context.ts'
import { AppError } from '../errors.ts'
import { callProvider } from '../payments/provider-call.ts'
import type { Account } from '../providers/registry.ts'
import { listWorlds } from '../worlds.ts'

const ASKING = { lane: 'buyer', timeoutMs: 10_000, about: null } as const
/** The caches and limits of an account that is not stored yet. */
const UNSTORED = 'acc_unstored'

/**
 * `own`: the contract that the settings name, or a driver that cannot tell. `other`: another contract. `refused`: the provider does
 * not accept the credentials. `unknown`: it did not say.
 */
export type Identity =
  | { kind: 'own' }
  | { kind: 'other'; identity: string; named: string }
  | { kind: 'refused' | 'unknown'; message: string }

/** Asks the provider. An error of the provider is a result too. */
export async function askIdentity(ctx: Context, account: Account): Promise<Identity> {
  const { identify, identity: [setting = ''] = [] } = account.driver
  if (!identify) return { kind: 'own' }
  try {
    const candidate = { ...account, id: account.id || UNSTORED }
    const identity = await callProvider(ctx, candidate, ASKING, (call) => identify(call))
    const named = String(account.settings[setting])
    return identity === named ? { kind: 'own' } : { kind: 'other', identity, named }
  } catch (error) {
    const { refusal, message } = refusalIn(error) ?? { message: (error as Error).message }
    return { kind: refusal === 'credentials' ? 'refused' : 'unknown', message }
  }
}

/**
 * Asks about the deployment's own accounts, whose credentials come from the settings. It runs in the background, so that no
 * start depends on a provider. A route with the credentials of another contract is not used any more.
 */
export async function checkOwnAccounts(worlds: Worlds): Promise<void> {
  for (const ctx of listWorlds(worlds))
    for (const route of Object.values(ctx.routes)) {
      const account = await findAccount(ctx, route.id)
      if (!account) continue
      const found = await askIdentity(ctx, account)
      if (found.kind === 'own') continue
      const about = { accountId: route.id, route: route.route }
      if (found.kind !== 'other') {
        ctx.log.warn(
          { ...about, reason: found.message },
          'the provider did not say whose credentials these are',
        )
        continue
      }
      // Merchants read this reason, so it does not name the contracts.
      Object.assign(route, { driver: null, reason: 'Its credentials belong to another contract.' })
      ctx.log.error(
        { ...about, identity: found.identity, named: found.named },
        'a route is not used, because its credentials belong to another contract',
      )
    }
}

/**
 * Returns a function that asks the provider whose credentials these are, before they are stored. `unchecked`: they are also stored
 * if the provider does not say whose they are. The function throws AppError validation_failed if they belong to another contract, or
 * are not accepted.
 */
export function confirmIdentity(ctx: Context, { unchecked }: { unchecked: boolean }): Confirm {
  return async (account) => {
    const found = await askIdentity(ctx, account)
    if (found.kind === 'own' || (found.kind === 'unknown' && unchecked)) return
    throw new AppError('validation_failed', {
      reason: 'account_not_confirmed',
      message: `${explain(found)} Nothing was changed.`,
    })
  }
}

function explain(found: Exclude<Identity, { kind: 'own' }>): string {
  switch (found.kind) {
    case 'other':
      return `These credentials belong to ${found.identity}, and not to ${found.named}. Another contract is another account: use account set for it.`
    case 'refused':
      return `The provider does not accept these credentials: ${found.message}`
    case 'unknown':
      return `The provider did not say whose credentials these are: ${found.message} If you know whose they are, add --unchecked.`
  }
}
