/** What the owner of a shop reads about orders, in English, which defines the keys. */
export const ORDER_EN = {
  saleTitle: 'Sold: {what}, {amount}',
  saleText: 'The money is there. Please pack the order {number}.',
  heldTitle: 'Reserved: {what}, {amount}',
  heldText: 'The bank holds the money of order {number} for you. It is not yours until somebody takes it.',
  refundTitle: '{amount} went back to the buyer: {what}',
  refundText: 'This is about the order {number}. What is left of its money is written below.',
  refundFailedTitle: '{amount} is yours again: {what}',
  refundFailedText:
    'The return for order {number} did not arrive, or the dispute has ended. Do not send anything a second time.',
  disputeTitle: 'The buyer disputes {amount}: {what}',
  disputeText:
    'This is about the order {number}. Keep what shows that you sent it, and ask whoever runs your payments.',
  caseTitle: 'Please decide: {what}, {amount}',
  unknownTitle: 'Not known yet: {amount}, number {number}',
  unknownText:
    'Nobody knows yet whether the buyer has paid. Wait, and send nothing. The bank is asked again by itself. If nothing has changed by tomorrow, ask whoever runs your payments.',
  reviewTitle: 'Being looked into: {amount}, number {number}',
  reviewText:
    'Nobody knows yet whether the bank has moved this money as it was asked. Do not ask for it a second time, and send nothing that depends on it. Whoever runs your payments looks into it.',
  refundCaseTitle: '{amount} did not go back to the buyer: number {number}',
  refundCaseText:
    'The bank has not made this return, and the money has not moved. Tell the buyer that it takes longer. Ask whoever runs your payments before anybody tries it once more.',
  warningTitle: 'Please look: {amount}, number {number}',
  warningText:
    'Something was reported about this payment that does not fit, such as money that came twice. If you have not sent the order yet, wait. Ask whoever runs your payments.',
  manyTitle: 'News of your orders: {count}',
  manyText: 'Each is written below. The link shows the same.',
  more: 'More',
  moreText: '{count} are not listed here',
  testTitle: 'A test: does this mail reach you?',
  testText:
    'Your shop will write to this address when it sells something. Open the link, and press the button there.',
  mailWhySignIn:
    'You get this mail because your shop {name} sends its order news to this address. The link asks you to sign in.',
  mailWhy:
    'You get this mail because your shop {name} sends its order news to this address. The link works for 30 days, without a password. Do not pass it on.',
  showOrder: 'Show the order',
  showList: 'Show the list',
  openTest: 'Open the test page',

  order: 'Order',
  orderId: 'Order in your shop’s program',
  what: 'What',
  amount: 'Amount',
  returned: 'Returned',
  money: 'Money',
  way: 'How far it is',
  since: 'Since',
  decide: 'To decide',
  history: 'What happened',
  buyer: 'The buyer',
  fieldName: 'Name',
  fieldPhone: 'Telephone',
  fieldEmail: 'E-mail',
  fieldAddress: 'Address',
  fieldNote: 'Note',
  slipHint: 'To print a packing slip, use your browser’s print command.',
  readOnly: 'Nobody can change anything on this page. The link ends 30 days after its mail.',
  listTitle: 'Orders of {day}',
  listMailTitle: 'Order news of {day}',
  listMore: 'Only the first {count} are shown here.',
  listEmpty: 'There is no order of this day.',
  quantity: '{count} pieces',

  moneyPaid: 'paid',
  moneyHeld: 'reserved, not taken yet',
  moneyPartReturned: 'partly returned',
  moneyReturned: 'returned',
  moneyDisputed: 'disputed',
  moneyUnknown: 'not known yet',
  moneyNone: 'none',
  wayNew: 'new',
  wayPacked: 'packed',
  waySent: 'sent',
  wayDone: 'done',
  wayCancelled: 'cancelled',
  askPartReturned:
    'A part of the money went back before the order was decided. Send nothing before you have decided.',
  askTakenBack:
    'The money went back once, or was disputed, before the order was decided. Send nothing before you have decided.',
  askOtherAmount: 'The buyer paid another amount than the product costs now.',
  askNotOffered: 'The product is not on sale any more. Return the money if you do not have it.',
  askPartCaptured: 'Only a part of the money was taken.',
  askPaidTwice: 'The order was paid a second time. Return one of the payments, and send the order once.',
  didSale: 'paid',
  didNote: 'the money changed',
  didAsk: 'to decide',
  didMove: '{by}: {way}',
  didAnswer: '{by} decided: {text}',
  didRemark: '{by}: {text}',

  testPageTitle: 'This page is the test',
  testPageText: 'It is where your shop’s orders appear. Below is the test payment that was made for {name}.',
  testPayment: 'Test payment',
  testPaidAt: 'Paid in test mode',
  testNone:
    'There is no test payment yet. Buy something from your shop in test mode, then open this link again.',
  testButton: 'Yes, I see the test payment',
  testDone: 'Thank you. From now on your shop’s news counts as read.',
  testSandbox:
    'Thank you. In test mode nothing else follows from it: the same test is made once more for real money.',
} as const

export type OrderKey = keyof typeof ORDER_EN
