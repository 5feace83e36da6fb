/**
 * The bank account to which a shop's buyers transfer the money.
 * Rule: a person of the shop asks for it, and somebody else approves it, whatever the sum, because an account redirects money. Earlier
 * payments keep the account that their buyers have read.
 */
import { readDriverSettings } from '../../accounts/driver-settings.ts'
import { type AccountView, listAccounts } from '../../accounts/manage.ts'
import { setAccount } from '../../accounts/set.ts'
import type { Person } from '../../audit/people.ts'
import { type Context, systemClock } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { getMerchant } from '../../merchants/merchant.ts'
import { findUser } from '../../storage/access/users.ts'
import { listAccounts as listAccountRecords } from '../../storage/accounts/accounts.ts'
import {
  listNewestProposals,
  listProposals,
  type ProposalFailure,
  type ProposalRecord,
} from '../../storage/audit/proposals.ts'
import type { Queryable, Tx } from '../../storage/db.ts'
import { lockMerchant } from '../../storage/merchants/merchants.ts'
import { doOrRehearse } from '../acts/rehearse.ts'
import { proposeAlways } from '../approvals/approvals.ts'
import {
  BANK_ACCOUNT,
  type BankAccount,
  detailsOf,
  seenOf,
  wantedOf,
  writtenOf,
} from '../approvals/bank-account.ts'
import { listApprovals, type Proposal, withNames } from '../approvals/listing.ts'
import { refuseProposal, refuseWithin } from '../approvals/refuse.ts'

export type { BankAccount } from '../approvals/bank-account.ts'

/** Longer than other proposals: the owner cannot approve it, and has nobody to hurry. */
const WAITS_MS = 14 * 24 * 3_600_000
/** One waits in each currency. */
const ASKS = { all: false, what: BANK_ACCOUNT, limit: 100 }

/** The settings of the driver, and the field of the form to which each belongs. */
const FIELDS = {
  RECIPIENT: 'bankRecipient',
  BANK: 'bankName',
  ACCOUNT: 'bankNumber',
  BIC: 'bankCode',
  DAYS: 'bankDays',
} as const

/**
 * Asks for an account in place of the present one of the currency. What the shop has asked for before in this currency is taken back.
 * The same once more changes nothing.
 * @throws AppError not_found; validation_failed, which names the wrong fields; validation_failed for a person without a name
 */
export async function askBankAccount(
  ctx: Context,
  person: Person,
  given: BankAccount,
): Promise<{ proposal: Proposal }> {
  await getMerchant(ctx, given.merchantId)
  refuseWrong(ctx, given)
  await rehearse(ctx, given)
  const found = await sameOf(ctx, await listRecords(ctx.db, given), given)
  if (found) return { proposal: (await withNames(ctx, [found]))[0] as Proposal }
  const makeRoom = async (tx: Tx) => {
    // Two at the same moment would both find nothing that waits.
    await lockMerchant(tx, given.merchantId)
    const waiting = await listRecords(tx, given)
    const same = await sameOf({ ...ctx, db: tx }, waiting, given)
    const others = same ? [] : waiting.filter(({ state }) => state === 'open')
    for (const { id } of others) await refuseWithin(tx, person, id)
    return same
  }
  const more = { args: given, lastsMs: WAITS_MS, makeRoom }
  return { proposal: await proposeAlways(ctx, person, BANK_ACCOUNT, more) }
}

/** Returns what waits in this currency. */
async function listRecords(db: Queryable, { merchantId, currency }: BankAccount): Promise<ProposalRecord[]> {
  const page = { ...ASKS, merchantId, after: null, now: systemClock.now() }
  const found = await listProposals(db, page)
  return found.filter(({ about }) => about.startsWith(`${merchantId} ${currency}: `))
}

/** The same again, unless it was asked for in place of another account. */
async function sameOf(
  { db, vault, world }: Pick<Context, 'vault' | 'world'> & { db: Queryable },
  waiting: readonly ProposalRecord[],
  given: BankAccount,
): Promise<ProposalRecord | null> {
  const seen = seenOf(await listAccountRecords(db), given)
  const isSame = ({ id, about, keyId, sealed }: ProposalRecord) =>
    about === detailsOf(given) &&
    keyId !== null &&
    sealed !== null &&
    JSON.parse(vault.open({ keyId, sealed }, [world, id, 'proposal'])).seen === seen
  return waiting.find(isSame) ?? null
}

/** Refuses at once what nobody could ever grant. */
async function rehearse(ctx: Context, given: BankAccount): Promise<void> {
  try {
    await doOrRehearse(ctx, { dryRun: true }, (own) => setAccount(own, wantedOf(given)))
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'validation_failed') throw error
    throw new AppError('validation_failed', {
      message: error.message,
      errors: { bankTaken: 'is not possible' },
    })
  }
}

function refuseWrong(ctx: Context, given: BankAccount): void {
  const written = writtenOf(given)
  const of = { prefix: '', world: ctx.world, owner: given.merchantId }
  const { missing, wrong } = readDriverSettings('manual', written, of)
  const isWrong = (name: string) =>
    missing.includes(name) || wrong.some((sentence) => sentence.startsWith(`${name} `))
  const needed = ['RECIPIENT', 'ACCOUNT'].filter((name) => !written[name])
  const names = Object.keys(FIELDS).filter((name) => isWrong(name) || needed.includes(name))
  if (names.length === 0 && wrong.length === 0) return
  const errors = names.map((name) => [FIELDS[name as keyof typeof FIELDS], 'is missing or wrong'] as const)
  const message = [...needed.map((name) => `${name} is missing`), ...wrong].join('; ')
  throw new AppError('validation_failed', { message, errors: Object.fromEntries(errors) })
}

/** Returns what the shop has asked for and nobody has decided yet, the newest first. */
export function listWaiting(ctx: Context, merchantId: string): Promise<Proposal[]> {
  return listApprovals(ctx, { ...ASKS, merchantId })
}

/** What became of the newest ask in a currency. It is told until the shop asks anew. `why`: the reason that the person who refused it wrote. */
export type EndedAsk = {
  how: 'refused' | 'expired' | ProposalFailure
  about: string
  at: Date
  why: string | null
}

/** Returns the requests of the shop that were refused or have expired, without those that the shop has taken back itself. */
export async function listEndedAsks(ctx: Context, merchantId: string): Promise<EndedAsk[]> {
  const newest = await listNewestProposals(ctx.db, { merchantId, what: BANK_ACCOUNT })
  const ended = await Promise.all(newest.map((each) => endOf(ctx, each)))
  return ended.filter((each) => each !== null)
}

async function endOf({ db }: Context, ask: ProposalRecord): Promise<EndedAsk | null> {
  const { state, about, proposedBy, decidedBy, decidedAt, expiresAt, refusedWhy: why, failure } = ask
  if (state === 'done') return null
  if (state !== 'refused')
    return expiresAt <= systemClock.now() ? { how: 'expired', about, at: expiresAt, why: null } : null
  const isOwn =
    decidedBy === proposedBy ||
    (decidedBy !== null && (await findUser(db, decidedBy))?.merchantId === ask.merchantId)
  if (isOwn && failure === null) return null
  return { how: failure ?? 'refused', about, at: decidedAt ?? expiresAt, why }
}

/** Takes back what was asked for. @throws AppError not_found for what does not wait, or is another shop's */
export async function withdrawBankAccount(
  ctx: Context,
  person: Person,
  { merchantId, id }: { merchantId: string; id: string },
): Promise<void> {
  const found = (await listWaiting(ctx, merchantId)).find((each) => each.id === id)
  if (!found) throw new AppError('not_found')
  await refuseProposal(ctx, person, id)
}

/** Returns the accounts of the shop by which buyers transfer money now. */
export async function listBankAccounts(ctx: Context, merchantId: string): Promise<AccountView[]> {
  const all = await listAccounts(ctx, { merchantId })
  return all.filter(
    ({ owner, driver, retiredAt, settings }) =>
      owner === merchantId && driver === 'manual' && retiredAt === null && settings.ACCOUNT !== undefined,
  )
}
