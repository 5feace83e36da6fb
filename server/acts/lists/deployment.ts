/** The lists of what belongs to the whole deployment: people, proposals, reviews and accounts. */
import { listEverybody } from '../../access/users.ts'
import { type AccountView, listAccounts } from '../../accounts/manage.ts'
import { listApprovals, presentProposal } from '../../operator/approvals/listing.ts'
import { listWaitingReviews } from '../../operator/shop/reviews.ts'
import { presentPerson } from '../../operator/views/person.ts'
import { tick } from '../input.ts'
import { type AnyList, list, ofShop, sumOf } from '../list.ts'

export const waitingReviews = list(
  'origin waiting',
  {},
)({
  needs: 'origin waiting',
  items: 'requests',
  counts: ['address', 'addresses'],
  cut: 'whole',
  load: async (ctx) => ({ found: (await listWaitingReviews(ctx)).requests }),
  columns: {
    address: ({ origin }) => origin,
    merchantId: ({ merchantId }) => merchantId,
    since: ({ askedAt }) => askedAt,
  },
  present: (request) => request,
  helpExamples: [''],
})

export const people = list(
  'user list',
  {},
)({
  needs: 'user list',
  items: 'users',
  cut: 'whole',
  load: async (ctx) => ({ found: await listEverybody(ctx) }),
  columns: {
    id: ({ operator }) => operator.id,
    name: ({ operator }) => operator.name,
    role: ({ operator }) => operator.role,
    email: ({ user }) => user?.email,
    merchantId: ({ user }) => user?.merchantId ?? 'all',
    removedAt: ({ operator }) => operator.removedAt,
  },
  present: presentPerson,
  counts: ['person', 'people'],
  helpExamples: [''],
})

export const approvals = list('approval list', { all: tick({}) })({
  needs: 'approval list',
  items: 'approvals',
  cut: 'whole',
  load: async (ctx, { all = false }) => ({ found: await listApprovals(ctx, { all }) }),
  columns: {
    id: ({ id }) => id,
    what: ({ what }) => what,
    merchantId: ({ merchantId }) => merchantId,
    amount: sumOf,
    about: ({ about }) => about,
    proposer: ({ proposer }) => proposer,
    expiresAt: ({ expiresAt }) => expiresAt,
    state: ({ state, decider }) => (decider ? `${state} by ${decider}` : state),
  },
  present: presentProposal,
  counts: ['proposal', 'proposals'],
  helpExamples: ['', '--all'],
})

export const accounts = list('account list', { merchantId: ofShop(), all: tick({}) })({
  needs: 'account list',
  items: 'accounts',
  counts: ['account', 'accounts'],
  cut: 'whole',
  load: async (ctx, { merchantId, all = false }) => ({ found: await listAccounts(ctx, { merchantId, all }) }),
  columns: {
    id: ({ accountId }) => accountId,
    route: ({ route }) => route,
    driver: ({ driver }) => driver,
    currencies: ({ currencies }) => currencies.join(', '),
    usedBy: ({ owner, shared, merchants }) =>
      owner ?? (shared ? 'every merchant' : (merchants ?? []).join(', ') || 'no merchant yet'),
    state: accountState,
  },
  present: (account) => account,
  helpExamples: ['', '--merchant mer_01...', '--all'],
})

function accountState({ retiredAt, health, blocks }: AccountView): string {
  const state = retiredAt ? 'retired' : health.state === 'ok' ? 'in use' : health.state
  return blocks.length > 0 ? `${state} (blocks payments in ${blocks.join(', ')})` : state
}

export const DEPLOYMENT_LISTS: readonly AnyList[] = [waitingReviews, people, approvals, accounts]
