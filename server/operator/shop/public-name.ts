/**
 * The name under which a shop appears to its buyers.
 * Rule: once the shop may take real money, a person of the shop only asks for another name, and somebody who runs the service
 * approves it. The name was reviewed with the site, and another one could be that of a bank.
 */
import type { Person } from '../../audit/people.ts'
import { type Context, systemClock } from '../../context.ts'
import { type Branding, checkBranding } from '../../merchants/branding.ts'
import { listApproved } from '../../merchants/origin.ts'
import { listProposals } from '../../storage/audit/proposals.ts'
import type { Queryable, Tx } from '../../storage/db.ts'
import { lockMerchant } from '../../storage/merchants/merchants.ts'
import { proposeAlways } from '../approvals/approvals.ts'
import { PUBLIC_NAME, presentName } from '../approvals/public-name.ts'
import { refuseWithin } from '../approvals/refuse.ts'

/** The same time as for a requested bank account. It is long, because the shop cannot hurry the person who decides. */
const WAITS_MS = 14 * 24 * 3_600_000

/** Whether another name has to be approved: the deployment takes real money, and an address of the shop was reviewed. */
async function isReviewed(ctx: Context, merchantId: string): Promise<boolean> {
  return ctx.config.mode === 'live' && (await listApproved(ctx, merchantId)).length > 0
}

/**
 * Takes the name out of the changes of somebody of the shop, and asks for it instead. An earlier request is taken back. Returns the
 * changes that may be stored at once. @throws AppError validation_failed
 */
export async function askForName(
  ctx: Context,
  person: Person,
  merchantId: string,
  changes: Branding,
): Promise<{ changes: Branding; isProposed: boolean }> {
  const present = await presentName(ctx, merchantId)
  const { name = present.name, names = {}, ...others } = changes
  const proposed = { name, names: { ...present.names, ...names } }
  const isSame = textOf(proposed) === textOf(present)
  if (isSame || !(await isReviewed(ctx, merchantId))) return { changes, isProposed: false }
  checkBranding(changes)
  // Somebody else looks at it, so it needs no second factor.
  const { id, name: own, role } = person
  const asking: Person = { id, name: own, role }
  const makeRoom = async (tx: Tx) => {
    await lockMerchant(tx, merchantId)
    for (const waiting of await listWaiting(tx, merchantId)) await refuseWithin(tx, asking, waiting.id)
    return null
  }
  await proposeAlways(ctx, asking, PUBLIC_NAME, {
    args: { merchantId, ...proposed },
    lastsMs: WAITS_MS,
    makeRoom,
  })
  return { changes: others, isProposed: true }
}

/** Names without an empty one. */
function textOf({ name, names }: { name: string; names: Record<string, string> }): string {
  const given = Object.entries(names).filter(([, text]) => text !== '')
  return JSON.stringify([name, given.sort()])
}

async function listWaiting(db: Queryable, merchantId: string) {
  const page = { all: false, what: PUBLIC_NAME, limit: 100, merchantId, after: null, now: systemClock.now() }
  return (await listProposals(db, page)).filter(({ state }) => state === 'open')
}

/** Returns the name that the shop has asked for and that waits; null if none does. */
export async function findProposedName({ db }: Context, merchantId: string): Promise<string | null> {
  const [waiting] = await listWaiting(db, merchantId)
  return waiting ? waiting.about.slice(`${merchantId}: `.length) : null
}
