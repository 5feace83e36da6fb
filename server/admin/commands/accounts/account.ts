/** `account`: whose contract with a provider the money goes through. */
import { type AccountView, getAccountView, listAccounts } from '../../../accounts/manage.ts'
import { CURRENCY_CODES, PROVIDER_ROUTES } from '../../../contract/fields.ts'
import { testAccount } from '../../../operator/account-check.ts'
import { doOrPropose } from '../../../operator/approvals/approvals.ts'
import { PAY_EXAMPLE, PAY_FLAGS, payTest, refuseWithoutPay } from '../../account-pay.ts'
import { ADMIN, type Noun, verb } from '../../command.ts'
import {
  MERCHANT,
  optional,
  optionalChoice,
  required,
  requiredChoice,
  severalChoices,
  toggle,
} from '../../flag.ts'
import { listText, paragraphs } from '../../layout.ts'
import { proposedOutcome } from '../../proposal-text.ts'
import { ask } from './account-ask.ts'
import { customer } from './account-customer.ts'

import { readSettings, SETTINGS, UNCHECKED } from './account-settings.ts'
import { blocksText, factsText, healthText, refusalText, show, stateOf } from './account-text.ts'

const ACCOUNT = required('ID', "the account's id (acc_...)")
const SEALED = 'Credentials are stored encrypted. They are never shown again.'

const OUTCOMES = {
  created: 'Created the account. New payments of the merchant on this route use it.',
  rotated: 'This contract is known: the account has the new settings, and stays the same account.',
  revived: 'This contract had an account that was retired. The account is in use again.',
}

const set = verb({
  name: 'set',
  needs: 'operator',
  summary: "Set a merchant's own account of a route",
  flags: {
    merchant: MERCHANT,
    route: requiredChoice('R', 'the provider route', PROVIDER_ROUTES),
    driver: required('D', 'the driver: the protocol of the provider'),
    currency: severalChoices('CUR', 'only for these currencies; default all of the driver', CURRENCY_CODES),
    set: SETTINGS,
    credentials: optionalChoice(
      'KIND',
      'whether the credentials move test money or real money, where the driver cannot tell',
      ['test', 'live'],
    ),
    unchecked: UNCHECKED,
  },
  examples: [
    '--merchant mer_01... --route route_a --driver sandbox --set CUSTOMER=shop-7 --set SECRET=@secret.txt',
    '--merchant mer_01... --route route_b --driver sandbox --currency AMD --set CUSTOMER=shop-7-amd --set SECRET=@secret.txt',
  ],
  async run(ctx, values, { person }) {
    const { merchant: merchantId, route, driver, currency, set: given, credentials, unchecked } = values
    const written = { ...(await readSettings(given)), ...(credentials && { CREDENTIALS: credentials }) }
    const wanted = { merchantId, route, driver, currencies: currency, written }
    const decided = await doOrPropose(ctx, person, 'account set', { wanted, unchecked })
    if ('proposed' in decided) return proposedOutcome(decided.proposed)
    const { accountId, outcome, retired } = decided.done
    const account = await getAccountView(ctx, accountId)
    return {
      json: { ...account, outcome, replaced: retired },
      text: paragraphs(
        OUTCOMES[outcome],
        show(account),
        retired.length > 0 &&
          `It replaces ${retired.join(', ')}, which is retired: it is still asked about its own payments.`,
        SEALED,
        `Next, test it: ${ADMIN} account test --account ${accountId}`,
      ),
    }
  },
})

const rotate = verb({
  name: 'rotate',
  needs: 'operator',
  summary: 'Give an account new credentials; it stays the same account',
  flags: { account: ACCOUNT, set: SETTINGS, unchecked: UNCHECKED },
  examples: ['--account acc_01... --set SECRET=@secret.txt'],
  async run(ctx, { account: accountId, set: given, unchecked }, { person }) {
    const args = { accountId, written: await readSettings(given), unchecked }
    const decided = await doOrPropose(ctx, person, 'account rotate', args)
    if ('proposed' in decided) return proposedOutcome(decided.proposed)
    const account = await getAccountView(ctx, accountId)
    return {
      json: account,
      text: paragraphs('Every process uses the new values.', show(account), SEALED),
    }
  },
})

const MARKS = { ok: 'ok     ', problem: 'PROBLEM', unknown: 'unknown' }

const test = verb({
  name: 'test',
  needs: 'operator',
  summary: 'Ask the provider something harmless, and say what is wrong',
  flags: { account: ACCOUNT, ...PAY_FLAGS },
  examples: ['--account acc_01...', '--account acc_test_01... --pay', PAY_EXAMPLE],
  async run(ctx, { account: accountId, ...given }, tools) {
    if (given.pay) return payTest(ctx, accountId, given, tools)
    refuseWithoutPay(given)
    const findings = await testAccount(ctx, accountId)
    const { callbackUrl } = await getAccountView(ctx, accountId)
    const wrong = findings.filter(({ state }) => state === 'problem')
    const lines = findings.map(({ state, message }) => `  ${MARKS[state]}  ${message}`)
    return {
      json: { accountId, works: wrong.length === 0, findings, callbackUrl },
      text: paragraphs(
        `Tested the account ${accountId}.`,
        lines.join('\n'),
        callbackUrl && `Address for the provider's callbacks: ${callbackUrl}`,
      ),
      ...(wrong.length > 0 && {
        problem: { code: 'account_faulty', message: wrong.map(({ message }) => message).join(' ') },
      }),
    }
  },
})

/** The whole address of each account whose provider reports to it. */
function callbackText(accounts: AccountView[]): string | null {
  const addresses = accounts.flatMap(({ callbackUrl }) => callbackUrl ?? [])
  return addresses.length > 0 ? `Addresses for the providers' callbacks:\n  ${addresses.join('\n  ')}` : null
}

const list = verb({
  name: 'list',
  needs: 'viewer',
  summary: 'List the accounts: driver, owner, currencies and who may use each',
  flags: {
    merchant: optional('ID', 'only accounts that this merchant may use'),
    all: toggle('also list retired accounts'),
  },
  examples: ['', '--merchant mer_01...', '--all'],
  async run(ctx, { merchant: merchantId, all }) {
    const accounts = await listAccounts(ctx, { merchantId, all })
    const rows = accounts.map((each) => [
      each.accountId,
      each.route,
      each.driver,
      each.currencies.join(', '),
      each.owner ?? (each.shared ? 'every merchant' : (each.merchants ?? []).join(', ') || 'no merchant yet'),
      stateOf(each),
    ])
    const text = listText(
      ['Account', 'Route', 'Driver', 'Currencies', 'Used by', 'State'],
      rows,
      'There is no such account.',
      ...accounts.map((each) => each.blocks.length > 0 && `${each.accountId}: ${blocksText(each)}`),
      ...accounts.map((each) => each.health.state !== 'ok' && `${each.accountId}: ${healthText(each)}`),
      ...accounts.map(
        ({ accountId, lastRefusal }) =>
          lastRefusal && `${accountId}: the provider last refused at ${refusalText(lastRefusal)}`,
      ),
      callbackText(accounts),
    )
    return { json: { accounts }, text }
  },
})

const showVerb = verb({
  name: 'show',
  needs: 'viewer',
  summary: 'Show an account: settings, health, and what is known of it',
  flags: { account: ACCOUNT },
  examples: ['--account acc_01...'],
  async run(ctx, { account: accountId }) {
    const account = await getAccountView(ctx, accountId)
    return {
      json: account,
      text: paragraphs(
        show(account),
        factsText(account),
        `To ask the provider again: ${ADMIN} account test --account ${accountId}`,
      ),
    }
  },
})

const allow = verb({
  name: 'allow',
  needs: 'operator',
  summary: "Let a merchant use an account of the deployment's, or end that",
  flags: { account: ACCOUNT, merchant: MERCHANT, remove: toggle('end it, for new payments') },
  examples: ['--account acc_01... --merchant mer_01...', '--account acc_01... --merchant mer_01... --remove'],
  async run(ctx, { account: accountId, merchant: merchantId, remove }, { person }) {
    const args = { accountId, merchantId, allowed: !remove }
    const decided = await doOrPropose(ctx, person, 'account allow', args)
    if ('proposed' in decided) return proposedOutcome(decided.proposed)
    const account = decided.done
    const done = remove
      ? 'New payments of the merchant do not use the account any more. Earlier ones stay with it.'
      : 'New payments of the merchant may use the account. Their money goes to the deployment.'
    return { json: account, text: paragraphs(done, show(account)) }
  },
})

export const account: Noun = {
  name: 'account',
  summary: 'Set, test, show, share, rotate and retire provider accounts',
  verbs: [set, ask, test, list, showVerb, allow, rotate, customer],
}
