/** What buyers read about bank transfers and about the fields of a product. */
export const BUYER_EN = {
  openToldText: 'You pay the shop as it has told you. Nothing is taken on this page.',
  openTransferText: 'Next you read how to transfer the amount to the shop. Nothing is taken on this page.',
  openChoiceText: 'Card details are entered only on the bank’s own page.',
  transferTitle: 'Pay by bank transfer',
  transferText:
    'Transfer the amount to this account, and write the reference into the transfer. The shop confirms the payment once the money has arrived.',
  transferRecipient: 'Recipient',
  transferBank: 'Bank',
  transferAccount: 'Account number',
  transferBic: 'Bank code (BIC)',
  transferAmount: 'Amount',
  transferReference: 'Reference to write',
  transferQrTitle: 'QR code of this transfer',
  transferQrText: 'Your banking app can read this code and fill in the transfer.',
  keptUntil: 'Kept for you until',
  transferOverTitle: 'The order is no longer kept for you',
  transferOverText:
    'If you have sent the money already, there is nothing to do: the shop confirms the payment when it arrives. If not, please ask the shop before you send it.',
  mailTransferTitle: 'How to pay {amount} to {name}',
  mailRemindTitle: '{name} keeps your order until {moment}',
  mailRemindText:
    'The money has not arrived yet. If you have sent it already, there is nothing to do. If not, this is what your bank needs.',
  askName: 'Your name',
  askPhone: 'Telephone',
  askAddress: 'Address',
  askNote: 'Note for the shop',
  optional: 'optional',
  fieldsRefused: 'Please check these fields. Nothing has been started yet.',
  fieldMissing: 'please fill this in',
  fieldLong: 'at most {max} characters, please',
  fieldPhone: 'please write a telephone number, such as +374\u00a099\u00a0123456',
  fieldCard: 'please write no card number here: the bank asks for it later',
} as const

export type BuyerKey = keyof typeof BUYER_EN
