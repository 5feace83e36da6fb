/**
 * A merchant's own accounts, as an operator sets them.
 * Rule: the same contract stays the same account, with its new credentials. Another contract retires the account before it,
 * and one that comes back is revived. Nothing that is secret is ever returned.
 */
import type { Context } from '../context.ts'
import { CURRENCY_CODES, type CurrencyCode, type ProviderRoute } from '../contract/fields.ts'
import { AppError } from '../errors.ts'
import { newId } from '../id.ts'
import { type Account, DRIVERS, FISCAL_DRIVERS } from '../providers/registry.ts'
import { listCredentials, replaceCredentials } from '../storage/accounts/account-credentials.ts'
import {
  type AccountRecord,
  listAccounts,
  lockAccounts,
  retireAccount,
  saveAccount,
} from '../storage/accounts/accounts.ts'
import { inTransaction, type Tx } from '../storage/db.ts'
import { findMerchant } from '../storage/merchants/merchants.ts'
import { findTaken } from './deployment.ts'
import { FISCAL, type Given, identityOf, readDriverSettings, settingNames } from './driver-settings.ts'
import { openCredentials, sealWritten } from './seal.ts'

type Wanted = {
  merchantId: string
  route: ProviderRoute
  driver: string
  /** Undefined: every currency that the driver takes. */
  currencies: CurrencyCode[] | undefined
  /** The settings as they are written, secrets included. */
  written: Given
}

export type SetAccount = {
  accountId: string
  /** `created`: a contract that was not known. `rotated`: a known one, with these settings. `revived`: it was retired. */
  outcome: 'created' | 'rotated' | 'revived'
  /** The accounts that it replaces. */
  retired: string[]
}

/**
 * Sets a merchant's account of a route. Repeating it changes nothing.
 * @throws AppError not_found; validation_failed, which names every setting that is missing or wrong
 */
export async function setAccount(ctx: Context, wanted: Wanted): Promise<SetAccount> {
  const { merchantId: owner, route } = wanted
  await expectMerchant(ctx, owner)
  const account = readWritten(ctx, { ...wanted, owner })
  const currencies = currenciesOf(account, wanted.currencies)
  const result = await inTransaction(ctx.db, async (tx) => {
    await lockAccounts(tx)
    const all = await listAccounts(tx)
    refuseTaken(findTaken(all, account, owner))
    const identity = identityOf(account)
    const own = all.filter((each) => each.owner === owner && each.route === route)
    const same = own.find((each) => each.driver === wanted.driver && each.identity === identity)
    const replaced = own.filter((each) => each !== same && overlaps(each, currencies))
    for (const each of replaced) await replace(ctx, tx, each, currencies)
    const accountId = same?.id ?? newId(ctx.world, 'acc', ctx.clock.now())
    await save(ctx, tx, { ...wanted, owner, accountId, identity, currencies })
    const outcome = same ? (same.retiredAt ? 'revived' : 'rotated') : 'created'
    return { accountId, outcome, retired: replaced.map(({ id }) => id) } as const
  })
  ctx.accounts.forget()
  return result
}

/**
 * Gives an account new values for some settings; the others stay. The account stays the same, so nothing else changes.
 * @throws AppError not_found; validation_failed for a value that would make it another contract
 */
export async function rotateAccount(ctx: Context, accountId: string, written: Given): Promise<void> {
  await inTransaction(ctx.db, async (tx) => {
    await lockAccounts(tx)
    const record = (await listAccounts(tx)).find(({ id }) => id === accountId)
    if (!record) throw noSuchAccount(accountId)
    const { owner, route, driver, currencies, identity } = record
    if (owner === null) throw ownByEnvironment(route)
    const sealed = (await listCredentials(tx)).filter((each) => each.accountId === accountId)
    const all = { ...record.settings, ...openCredentials(ctx.world, ctx.vault, sealed), ...written }
    const account = readWritten(ctx, { owner, route, driver, written: all })
    if (identityOf(account) !== identity)
      throw new AppError('validation_failed', {
        message: `These settings name another contract than that of ${accountId}. An account keeps its contract for ever: set another account instead.`,
      })
    const wanted = { merchantId: owner, owner, route, driver, currencies, written: all, identity, accountId }
    await save(ctx, tx, wanted)
    if (record.retiredAt) await retireAccount(tx, accountId, record.retiredAt)
  })
  ctx.accounts.forget()
}

/** @throws AppError validation_failed */
function readWritten(
  { world }: Pick<Context, 'world'>,
  {
    owner,
    route,
    driver: driverName,
    written,
  }: Pick<Wanted, 'route' | 'driver' | 'written'> & { owner: string },
): Account {
  const row = Object.hasOwn(DRIVERS, driverName) && DRIVERS[driverName]
  const fiscal = written[FISCAL]
  const problems: string[] = []
  const unknown = row
    ? Object.keys(written).filter((name) => !settingNames(driverName, fiscal).includes(name))
    : []
  if (unknown.length > 0)
    problems.push(
      `${unknown.join(', ')}: the driver ${driverName} has no such setting. It has ${settingNames(driverName, fiscal).join(', ')}.`,
    )
  const simulated = [
    ...(row && !row.driver.liveCapable ? [`The driver ${driverName}`] : []),
    ...(fiscal && FISCAL_DRIVERS[fiscal]?.liveCapable === false ? [`The fiscal driver ${fiscal}`] : []),
  ]
  if (world === 'live')
    problems.push(...simulated.map((what) => `${what} is simulated: it moves no real money.`))
  const read = readDriverSettings(driverName, written, { prefix: '', world, owner })
  problems.push(...read.wrong, ...(read.misplaced ? [read.misplaced] : []))
  if (read.missing.length > 0) problems.push(`Set ${read.missing.join(', ')} too.`)
  const { driver, settings } = read
  if (!driver || problems.length > 0)
    throw new AppError('validation_failed', { message: problems.join('\n') || 'The settings do not fit.' })
  return { id: '', live: world === 'live', route, driverName, driver, settings, fiscal: read.fiscal }
}

function currenciesOf({ driver, driverName }: Account, wanted: CurrencyCode[] | undefined): CurrencyCode[] {
  const wrong = (wanted ?? []).filter((each) => !driver.currencies.includes(each))
  if (wrong.length > 0)
    throw new AppError('validation_failed', {
      message: `The driver ${driverName} does not take ${wrong.join(', ')}. It takes ${driver.currencies.join(', ')}.`,
    })
  return CURRENCY_CODES.filter((each) => (wanted ?? driver.currencies).includes(each))
}

function overlaps({ retiredAt, currencies }: AccountRecord, wanted: CurrencyCode[]): boolean {
  return retiredAt === null && currencies.some((each) => wanted.includes(each))
}

/** Retires an account whose currencies another one takes over. @throws AppError validation_failed if it would lose only some */
async function replace(ctx: Context, tx: Tx, old: AccountRecord, currencies: CurrencyCode[]): Promise<void> {
  const left = old.currencies.filter((each) => !currencies.includes(each))
  if (left.length > 0)
    throw new AppError('validation_failed', {
      message: `The account ${old.id} takes ${old.currencies.join(', ')} on ${old.route}, and would be left with ${left.join(', ')}. Retire it first, or set it again for ${left.join(', ')} alone.`,
    })
  await retireAccount(tx, old.id, ctx.clock.now())
}

function refuseTaken(taken: AccountRecord | undefined): void {
  if (!taken) return
  const whose = taken.owner === null ? "the deployment's own" : `that of the merchant ${taken.owner}`
  throw new AppError('validation_failed', {
    message: `This contract is ${whose}: the account ${taken.id}. The money would not go to the merchant.`,
  })
}

async function save(
  ctx: Context,
  tx: Tx,
  wanted: Wanted & { owner: string; accountId: string; identity: string; currencies: CurrencyCode[] },
): Promise<void> {
  const { accountId: id, route, driver, owner, currencies, identity, written } = wanted

  const { settings, credentials } = sealWritten(ctx, { accountId: id, driver, written })
  const activeFrom = ctx.clock.now()
  await saveAccount(tx, {
    id,
    route,
    driver,
    owner,
    currencies,
    settings,
    identity,
    shared: false,
    activeFrom,
  })
  await replaceCredentials(tx, id, credentials)
}

/** @throws AppError not_found */
export async function expectMerchant({ db }: Pick<Context, 'db'>, merchantId: string): Promise<void> {
  if (!(await findMerchant(db, merchantId)))
    throw new AppError('not_found', {
      message: `There is no merchant ${merchantId}.`,
      next: [{ act: 'list_merchants' }],
    })
}

/** The error for an unknown account. */
export function noSuchAccount(accountId: string): AppError {
  return new AppError('not_found', {
    message: `There is no account ${accountId} in this world.`,
    next: [{ act: 'list_accounts' }],
  })
}

/** The error for an act on the deployment's own account that only its settings can change. */
export function ownByEnvironment(route: ProviderRoute): AppError {
  const prefix = `${route.toUpperCase()}_*`
  return new AppError('validation_failed', {
    message: `This is the deployment's own account of ${route}. The settings ${prefix} of the service make it: change them and restart the service.`,
  })
}
