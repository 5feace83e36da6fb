/**
 * Creates and changes a merchant's own accounts, for operators.
 * Rule: the same contract keeps its account and gets the new credentials. Another contract retires the account before it. A
 * contract that returns gets its retired account again. No secret is ever returned.
 */
import type { Context } from '../context.ts'
import { CURRENCY_CODES, type CurrencyCode, type ProviderRoute } from '../contract/fields.ts'
import { AppError } from '../errors.ts'
import { newId } from '../id.ts'
import { notifyOwner } from '../notices/notify.ts'
import { type Account, DRIVERS, FISCAL_DRIVERS } from '../providers/registry.ts'
import { listCredentials } from '../storage/accounts/account-credentials.ts'
import {
  type AccountRecord,
  listAccounts,
  lockAccounts,
  retireAccount,
} from '../storage/accounts/accounts.ts'
import { inTransaction, type Queryable, type Tx } from '../storage/db.ts'
import { findMerchant } from '../storage/merchants/merchants.ts'
import { findSame, findTaken, isSame, storeAccount } from './contract.ts'
import {
  FISCAL,
  type Given,
  prefixOf,
  readDriverSettings,
  settingNames,
  withoutEnded,
} from './driver-settings.ts'
import { narrow, overlaps, withKept } from './other-currencies.ts'
import { openCredentials } from './seal.ts'

type AccountInput = {
  merchantId: string
  route: ProviderRoute
  driver: string
  /** Undefined: every currency that the driver accepts. */
  currencies?: CurrencyCode[] | undefined
  /** The settings as the operator wrote them, including secrets. */
  written: Given
  /** Only these currencies change: the same contract keeps its other currencies, and so does the account before it. */
  keepsOthers?: boolean | undefined
  /** Throws if the stored accounts are not as the person saw them. Nobody changes them meanwhile. */
  expect?: (all: readonly AccountRecord[]) => void
}

export type SetAccount = {
  accountId: string
  /** `created`: the contract is new. `rotated`: the active account got these settings. `revived`: a retired account is active again. */
  outcome: 'created' | 'rotated' | 'revived'
  /** The accounts that it replaces. */
  retired: string[]
}

/** Throws if these credentials must not be stored, for example because they belong to another contract. No transaction is open. */
export type Confirm = (account: Account) => Promise<void>

/**
 * Sets a merchant's account of a route. Repeating it changes nothing.
 * @throws AppError not_found; validation_failed, which names every setting that is missing or wrong; what `confirm` throws
 */
export async function setAccount(ctx: Context, wanted: AccountInput, confirm?: Confirm): Promise<SetAccount> {
  const { merchantId: owner, route } = wanted
  await expectMerchant(ctx, owner)
  const account = readWritten(ctx, { ...wanted, owner })
  const currencies = currenciesOf(account, wanted.currencies)
  await confirm?.(account)
  const result = await inTransaction(ctx.db, async (tx) => {
    await lockAccounts(tx)
    const stored = await listAccounts(tx)
    wanted.expect?.(stored)
    refuseTaken(findTaken(stored, account, owner))
    const own = stored.filter((each) => each.owner === owner && each.route === route)
    const same = findSame(own, account)
    const before = own.filter((each) => each !== same && overlaps(each, currencies))
    const replaced = wanted.keepsOthers ? await narrow(tx, before, currencies) : before
    for (const each of replaced) await replace(ctx, tx, each, currencies)
    const accountId = same?.id ?? newId(ctx.world, 'acc', owner, ctx.clock.now())
    const { written, keepsOthers } = wanted
    const all = keepsOthers ? withKept(currencies, same, own) : currencies
    await storeAccount(ctx, tx, account, { id: accountId, owner, currencies: all, shared: false, written })
    await notifyOwner(ctx, tx, owner, 'account')
    const outcome = same ? (same.retiredAt ? 'revived' : 'rotated') : 'created'
    return { accountId, outcome, retired: replaced.map(({ id }) => id) } as const
  })
  ctx.accounts.forget()
  return result
}

/**
 * Changes some settings of an account. The other settings stay, and the account keeps its id. `expect`: throws if the account is not as
 * the person saw it. Nobody changes it meanwhile.
 * @throws AppError not_found; validation_failed for a value that would make it another contract; what `confirm` throws
 */
export async function rotateAccount(
  ctx: Context,
  accountId: string,
  written: Given,
  confirm?: Confirm,
  expect?: (record: AccountRecord) => void,
): Promise<void> {
  if (confirm) await confirm((await readRotated(ctx, ctx.db, accountId, written)).account)
  await inTransaction(ctx.db, async (tx) => {
    await lockAccounts(tx)
    const { record, owner, account, all } = await readRotated(ctx, tx, accountId, written)
    expect?.(record)
    const { currencies } = record
    await storeAccount(ctx, tx, account, { id: accountId, owner, currencies, shared: false, written: all })
    const { retiredAt } = record
    if (retiredAt) await retireAccount(tx, { ...record, retiredAt })
    await notifyOwner(ctx, tx, owner, 'account')
  })
  ctx.accounts.forget()
}

/** Returns the account as it is with the new values. `all`: all its settings. @throws AppError not_found, validation_failed */
async function readRotated(ctx: Context, db: Queryable, accountId: string, written: Given) {
  const record = (await listAccounts(db)).find(({ id }) => id === accountId)
  if (!record) throw noSuchAccount(accountId)
  const { owner, route, driver } = record
  if (owner === null) throw ownByEnvironment(route)
  const sealed = (await listCredentials(db)).filter((each) => each.accountId === accountId)
  const all = {
    ...withoutEnded(record.settings),
    ...openCredentials(ctx.world, ctx.vault, sealed),
    ...written,
  }
  const account = readWritten(ctx, { owner, route, driver, written: all })
  if (!isSame(record, account))
    throw new AppError('validation_failed', {
      reason: 'other_contract',
      about: { account: accountId },
      message: `These settings belong to another contract than the account ${accountId}. An account never changes its contract. Set another account instead.`,
    })
  return { record, owner, account, all }
}

/** @throws AppError validation_failed */
function readWritten(
  { world }: Pick<Context, 'world'>,
  {
    owner,
    route,
    driver: driverName,
    written,
  }: Pick<AccountInput, 'route' | 'driver' | 'written'> & { owner: string },
): Account {
  const row = Object.hasOwn(DRIVERS, driverName) && DRIVERS[driverName]
  const fiscal = written[FISCAL]
  const problems: string[] = []
  const unknown = row
    ? Object.keys(written).filter((name) => !settingNames(driverName, fiscal).includes(name))
    : []
  if (unknown.length > 0)
    problems.push(
      `${unknown.join(', ')}: the driver ${driverName} has no such setting. Its settings are ${settingNames(driverName, fiscal).join(', ')}.`,
    )
  const simulated = [
    ...(row && !row.driver.liveCapable ? [`The driver ${driverName}`] : []),
    ...(fiscal && FISCAL_DRIVERS[fiscal]?.liveCapable === false ? [`The fiscal driver ${fiscal}`] : []),
  ]
  if (world === 'live')
    problems.push(...simulated.map((what) => `${what} is simulated and cannot move real money.`))
  const read = readDriverSettings(driverName, written, { prefix: '', world, owner })
  problems.push(...read.wrong, ...(read.misplaced ? [read.misplaced] : []))
  if (read.missing.length > 0) problems.push(`Set ${read.missing.join(', ')} too.`)
  const { driver, settings, amountBounds } = read
  if (!driver || problems.length > 0)
    throw new AppError('validation_failed', {
      reason: 'account_settings',
      about: { settings: namesIn(problems, driverName, written) },
      message: problems.join('\n') || 'The settings are not valid.',
    })
  return {
    id: '',
    live: world === 'live',
    route,
    driverName,
    driver,
    settings,
    fiscal: read.fiscal,
    amountBounds,
  }
}

/** The names of the settings that the sentences are about; the driver if they are about none. */
function namesIn(problems: readonly string[], driver: string, written: Given): string {
  const known = [...new Set([...Object.keys(written), ...settingNames(driver, written[FISCAL])])]
  const words = new Set(problems.join(' ').split(/[^\w]+/))
  return known.filter((name) => words.has(name)).join(', ') || driver
}

function currenciesOf({ driver, driverName }: Account, wanted: CurrencyCode[] | undefined): CurrencyCode[] {
  const wrong = (wanted ?? []).filter((each) => !driver.currencies.includes(each))
  if (wrong.length > 0)
    throw new AppError('validation_failed', {
      reason: 'account_currencies',
      about: { currencies: wrong.join(', ') },
      message: `The driver ${driverName} does not support ${wrong.join(', ')}. It supports ${driver.currencies.join(', ')}.`,
    })
  return CURRENCY_CODES.filter((each) => (wanted ?? driver.currencies).includes(each))
}

/** Retires an account whose currencies another account takes over. @throws AppError validation_failed if some would remain */
async function replace(ctx: Context, tx: Tx, old: AccountRecord, currencies: CurrencyCode[]): Promise<void> {
  const left = old.currencies.filter((each) => !currencies.includes(each))
  if (left.length > 0)
    throw new AppError('validation_failed', {
      reason: 'account_left',
      about: { account: old.id, currencies: left.join(', ') },
      message: `The account ${old.id} accepts ${old.currencies.join(', ')} on ${old.route}. Only ${left.join(', ')} would remain. Retire the account first, or set it again for ${left.join(', ')} only.`,
    })
  await retireAccount(tx, { id: old.id, retiredAt: ctx.clock.now(), superseded: true })
}

function refuseTaken(taken: AccountRecord | undefined): void {
  if (!taken) return
  const owner = taken.owner === null ? 'the deployment' : `the merchant ${taken.owner}`
  throw new AppError('validation_failed', {
    reason: 'account_taken',
    about: { account: taken.id },
    message: `This contract belongs to ${owner}: it is the account ${taken.id}. The money would not reach this merchant.`,
  })
}

/** @throws AppError not_found */
export async function expectMerchant({ db }: Pick<Context, 'db'>, merchantId: string): Promise<void> {
  if (!(await findMerchant(db, merchantId)))
    throw new AppError('not_found', {
      message: `There is no merchant ${merchantId}.`,
      next: [{ act: 'list_merchants' }],
    })
}

/** Returns the error for an unknown account. */
export function noSuchAccount(accountId: string): AppError {
  return new AppError('not_found', {
    message: `There is no account ${accountId} in this world.`,
    next: [{ act: 'list_accounts' }],
  })
}

/** Returns the error for a change of the deployment's own account, which only the service's settings can change. */
export function ownByEnvironment(route: ProviderRoute): AppError {
  const prefix = `${prefixOf(route)}*`
  return new AppError('validation_failed', {
    reason: 'account_of_service',
    about: { route },
    message: `This is the deployment's own account of ${route}. Change the settings ${prefix} of the service and restart the service.`,
  })
}
