/** The acts on a shop's accounts at providers. */
import { getAccountView, retireAccount } from '../accounts/manage.ts'
import { ownByEnvironment } from '../accounts/set.ts'
import {
  accountFacts,
  expectAccount,
  findRecord,
  hasAccountMoved,
  redirecting,
  stateOf,
  versionSeen,
} from '../operator/approvals/accounts.ts'
import { tickFact } from '../operator/approvals/facts.ts'
import { type AnyRow, act } from './act.ts'
import { account, seen, tick } from './input.ts'

/** Without the deployment the payments are refused, so no money goes anywhere else. */
export const retire = act('account retire', {
  accountId: account(),
  inFavourOfDeployment: tick({}),
  seen: seen(),
})({
  place: 'account',
  async current(ctx, accountId) {
    const record = await findRecord(ctx, accountId)
    return { owner: record?.owner ?? null, state: record && stateOf(record) }
  },
  notNow: ({ owner }) => (owner === null ? 'acts.account.byEnvironment' : null),
  shows: {
    async accountId({ ctx, args: { accountId } }) {
      const record = await findRecord(ctx, accountId)
      const before = { word: record?.retiredAt ? 'account_retired' : 'account_used' } as const
      const facts = await accountFacts(ctx, accountId)
      return [...facts, { name: 'state', after: { word: 'account_retired' }, before }]
    },
    inFavourOfDeployment: ({ args }) => tickFact('inFavour', args.inFavourOfDeployment),
    seen: 'bound',
  },
  secondPerson: {
    async stake(ctx, args) {
      const { accountId, inFavourOfDeployment = false } = args
      const { owner, route } = await getAccountView(ctx, accountId)
      if (owner === null) throw ownByEnvironment(route)
      const how = inFavourOfDeployment ? ', its payments go to the account of the deployment' : ''
      const known = args.seen ?? (await versionSeen(ctx, accountId))
      const bound = { accountId, inFavourOfDeployment, seen: known }
      return { ...redirecting(owner, `${accountId}${how}`, bound), isFree: !inFavourOfDeployment }
    },
    hasMoved: hasAccountMoved,
  },
  async run(ctx, { accountId, inFavourOfDeployment = false, seen: known }) {
    await expectAccount(ctx, accountId, known)
    return retireAccount(ctx, accountId, { inFavourOfDeployment })
  },
  describes: { what: 'account', id: ({ accountId }) => accountId },
  result: async (_ctx, view) => ({ facts: { ...view } }),
  helpExamples: ['--account acc_01...', '--account acc_01... --in-favour-of-deployment'],
  examples: async (scene) => [{ accountId: await scene.account(), inFavourOfDeployment: true }],
})

export const ACCOUNT_ACTS: readonly AnyRow[] = [retire]
