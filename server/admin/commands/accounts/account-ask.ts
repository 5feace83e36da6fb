/** `account ask`: the bank account of a shop, which another person approves. */
import { CURRENCY_CODES } from '../../../contract/fields.ts'
import { askBankAccount } from '../../../operator/shop/bank-account.ts'
import { verb } from '../../command.ts'
import { MERCHANT, optional, required, requiredChoice } from '../../flag.ts'
import { proposedOutcome } from '../../proposal-text.ts'

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
