/** `account`: whose contract with a provider the money goes through. */
import { getAccountView } from '../../../accounts/manage.ts'
import { CURRENCY_CODES } from '../../../contract/fields.ts'
import { testAccount } from '../../../operator/account-check.ts'
import { askBankAccount } from '../../../operator/shop/bank-account.ts'
import { PAY_EXAMPLE, PAY_FLAGS, payTest, refuseWithoutPay } from '../../account-pay.ts'
import { ADMIN, type Noun, verb } from '../../command.ts'
import { MERCHANT, optional, required, requiredChoice } from '../../flag.ts'
import { paragraphs } from '../../layout.ts'
import { proposedOutcome } from '../../proposal-text.ts'
import { factsText, show } from './account-text.ts'

export const ask = verb({
  name: 'ask',
  needs: 'operator',
  summary: 'Ask for the bank account that the buyers of a shop pay into',
  flags: {
    merchant: MERCHANT,
    currency: requiredChoice('CUR', 'the currency of the account', CURRENCY_CODES),
    recipient: required('NAME', 'who gets the money, as the bank knows the name'),
    account: required('NUMBER', 'an IBAN or an account number'),
    bank: optional('NAME', 'the name of the bank'),
    bic: optional('CODE', 'the code of the bank: 8 or 11 characters'),
    days: optional('N', 'for how many days an order is kept: 1 to 90, default 7'),
  },
  examples: [
    '--merchant mer_01... --currency EUR --recipient "Teehouse" --account DE89370400440532013000 --bic COBADEFF',
  ],
  async run(ctx, { merchant: merchantId, bank = '', bic = '', days = '', ...given }, { person }) {
    const { proposal } = await askBankAccount(ctx, person, { merchantId, bank, bic, days, ...given })
    return proposedOutcome(proposal)
  },
})

const ACCOUNT = required('ID', "the account's id (acc_...)")
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

export const account: Noun = {
  name: 'account',
  summary: 'Set, test, show, share, rotate and retire provider accounts',
  verbs: [ask, test, showVerb],
}
