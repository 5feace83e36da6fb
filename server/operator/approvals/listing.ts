/** The proposals that wait, and what became of earlier ones. Their values are not shown here. */
import { type Context, systemClock } from '../../context.ts'
import { listOperatorNames } from '../../storage/audit/operators.ts'
import {
  findProposals,
  listProposals,
  listProposalsAbout,
  type ProposalPage,
  type ProposalRecord,
} from '../../storage/audit/proposals.ts'
import type { Queryable } from '../../storage/db.ts'

export type Proposal = Omit<ProposalRecord, 'keyId' | 'sealed'> & { proposer: string; decider: string | null }

const LISTED_MAX = 500

/** Returns the proposals of the world that can be decided, or all, the newest first. */
export async function listApprovals(
  ctx: Context,
  {
    all,
    merchantId = null,
    what = null,
    after = null,
    limit = LISTED_MAX,
  }: Partial<ProposalPage> & { all: boolean },
): Promise<Proposal[]> {
  const found = await listProposals(ctx.db, { all, merchantId, what, after, limit, now: systemClock.now() })
  return withNames(ctx, found)
}

/** Shows proposals without their values, and with the names of the people. */
export async function withNames(ctx: { db: Queryable }, found: ProposalRecord[]): Promise<Proposal[]> {
  const ids = found.flatMap(({ proposedBy, decidedBy }) =>
    decidedBy ? [proposedBy, decidedBy] : [proposedBy],
  )
  const people = await listOperatorNames(ctx.db, ids)
  return found.map(({ keyId: _keyId, sealed: _sealed, ...record }) => ({
    ...record,
    proposer: people.get(record.proposedBy) ?? record.proposedBy,
    decider: record.decidedBy && (people.get(record.decidedBy) ?? record.decidedBy),
  }))
}

/** Returns those of the ids that exist, by their id. */
export async function findNamed(
  ctx: Context,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Proposal>> {
  const found = ids.length === 0 ? [] : await findProposals(ctx.db, ids)
  return new Map((await withNames(ctx, found)).map((each) => [each.id, each]))
}

/** Returns what waits for a second person about this payment, the newest first. */
export async function listWaitingFor(ctx: Context, paymentId: string): Promise<Proposal[]> {
  return withNames(ctx, await listProposalsAbout(ctx.db, paymentId, systemClock.now()))
}

/** The proposal in answers. */
export const presentProposal = ({ id: approvalId, ...rest }: Proposal) => ({ approvalId, ...rest })
