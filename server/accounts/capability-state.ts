/**
 * What an account can do: its driver has a method for it, its settings allow it, and its provider does not deny it.
 * Rule: the reasons name no setting, because merchants read them.
 */
import type { Context } from '../context.ts'
import type { CapabilityName } from '../contract/capability.ts'
import type { Driver } from '../providers/driver.ts'
import type { Account, Route } from '../providers/registry.ts'
import { isDenied } from './facts.ts'

/** These capabilities are enabled as soon as the route can create payments. */
export const PRESENTATIONS: readonly CapabilityName[] = ['payment_links', 'qr_presentation']
/** Besides these: a payment can be cancelled on every route. Its order is withdrawn where the provider can. */
const ALWAYS: readonly CapabilityName[] = [...PRESENTATIONS, 'cancel']

/** The driver method that each operation needs. `fiscalization` is missing here, because it needs the route's fiscal driver. */
const METHODS: Partial<Record<CapabilityName, string>> = {
  refund: 'refund',
  capture: 'capture',
  void: 'void',
  tokenization: 'saveToken',
  subscriptions: 'chargeToken',
}

/** What an operation needs of an account. */
export type Capable = Pick<Route, 'id' | 'driver' | 'settings' | 'fiscal'> & { reason?: string }
/** What is known of the accounts' rights. */
export type KnownRights = Pick<Context, 'accounts' | 'clock'>

/**
 * Returns whether the account's capability is enabled. `OPERATIONS=not_configured` counts as enabled, although no request is
 * carried out.
 */
export function isEnabled(ctx: KnownRights, account: Account | null, name: CapabilityName): boolean {
  return account !== null && stateOf(ctx, account, name).enabled
}

/** Returns why a merchant cannot use an operation, without naming a setting. Null if the merchant can use it. */
export function refusalOf(ctx: KnownRights, account: Capable | null, name: CapabilityName): string | null {
  if (!account?.driver) return NOT_READY
  return stateOf(ctx, account, name).reason ?? null
}

/** The same without what the provider has denied: for what the service owes, and tries until the provider allows it. */
export function settingsRefusalOf(account: Account, name: CapabilityName): string | null {
  return configuredStateOf(account, name).reason ?? null
}

export const NOT_READY = 'The provider route of this payment is not ready.'

/** `setting`: the end of the name of the setting that changes this state. */
type State = { supported: boolean; enabled: boolean; reason?: string; setting?: string }

/** Returns whether the account supports and allows this, and why not. */
export function stateOf(ctx: KnownRights, account: Capable, name: CapabilityName): State {
  const state = configuredStateOf(account, name)
  if (state.reason !== undefined || !isDenied(ctx, account, name)) return state
  return {
    supported: true,
    enabled: false,
    reason: 'The payment provider does not allow this account to do this.',
  }
}

/** The same by the settings alone. */
export function configuredStateOf(account: Capable, name: CapabilityName): State {
  const isPresentation = ALWAYS.includes(name)
  const { driver, fiscal, settings, reason = NOT_READY } = account
  if (!driver) return { supported: isPresentation, enabled: false, reason }
  if (isPresentation) return { supported: true, enabled: true }
  const unsupported = { supported: false, enabled: false }
  if (name === 'fiscalization' && !fiscal)
    return { ...unsupported, reason: 'This route prints no fiscal receipts.', setting: 'FISCAL' }
  if (name !== 'fiscalization' && !hasMethod(driver, name))
    return { ...unsupported, reason: 'The provider of this route does not support this operation.' }
  const { OPERATIONS: operations, RENEWALS: renewals, SAVED_METHODS: saving = 'enabled' } = settings
  if (operations === 'not_configured')
    return {
      supported: true,
      enabled: true,
      reason: 'Not set up for this route yet: requests for it return 501.',
    }
  const disabled = { supported: true, enabled: false }
  if (operations !== 'enabled')
    return { ...disabled, reason: 'Not enabled for this route.', setting: 'OPERATIONS' }
  if (saving !== 'enabled' && (name === 'tokenization' || name === 'subscriptions'))
    return {
      ...disabled,
      reason: 'Not enabled for this route: the provider must first allow it to save payment methods.',
      setting: 'SAVED_METHODS',
    }
  if (name === 'subscriptions' && renewals !== 'enabled')
    return {
      ...disabled,
      reason: 'Not enabled for this route, because nothing is set up for failed renewals.',
      setting: 'RENEWALS',
    }
  return { supported: true, enabled: true }
}

function hasMethod(driver: Driver, name: CapabilityName): boolean {
  const method = METHODS[name]
  const members: Record<string, unknown> = driver
  return method !== undefined && typeof members[method] === 'function'
}
