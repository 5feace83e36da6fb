import type { BuyerKey } from './buyer-messages-en.ts'

export const BUYER_HY: Record<BuyerKey, string> = {
  openTransferText: 'Հաջորդ էջում գրված է, թե ինչպես փոխանցել գումարը խանութին։ Այս էջում ոչինչ չի գանձվում։',
  openChoiceText: 'Քարտի տվյալները մուտքագրվում են միայն բանկի էջում։',
  transferTitle: 'Վճարեք բանկային փոխանցումով',
  transferText:
    'Փոխանցեք գումարն այս հաշվին և վճարման նպատակում գրեք համարը։ Խանութը կհաստատի վճարումը, երբ գումարը ստացվի։',
  transferRecipient: 'Ստացող',
  transferBank: 'Բանկ',
  transferAccount: 'Հաշվեհամար',
  transferBic: 'Բանկի կոդ (BIC)',
  transferAmount: 'Գումար',
  transferReference: 'Վճարման նպատակ',
  transferQrTitle: 'Այս փոխանցումը՝ QR կոդով',
  transferQrText: 'Ձեր բանկի հավելվածը կարող է կարդալ այս կոդը և լրացնել փոխանցումը։',
  keptUntil: 'Պատվերը պահվում է մինչև',
  transferOverTitle: 'Պատվերի պահման ժամկետն անցել է',
  transferOverText:
    'Եթե գումարն արդեն ուղարկել եք, այլևս ոչինչ անել պետք չէ. խանութը կհաստատի վճարումը, երբ գումարը ստացվի։ Եթե ոչ, ուղարկելուց առաջ դիմեք խանութ։',
  mailTransferTitle: '{name}՝ ինչպես վճարել {amount}',
  mailRemindTitle: '{name}՝ ձեր պատվերը պահվում է մինչև {moment}',
  mailRemindText:
    'Գումարը դեռ չի ստացվել։ Եթե այն արդեն ուղարկել եք, այլևս ոչինչ անել պետք չէ։ Եթե ոչ, ստորև գտնվում են փոխանցման տվյալները։',
  askName: 'Ձեր անունը',
  askPhone: 'Հեռախոս',
  askAddress: 'Հասցե',
  askNote: 'Նշում խանութի համար',
  optional: 'ըստ ցանկության',
  fieldsRefused: 'Խնդրում ենք ստուգել այս դաշտերը։ Դեռ ոչինչ չի սկսվել։',
  fieldMissing: 'խնդրում ենք լրացնել',
  fieldLong: 'առավելագույնը {max} նիշ',
  fieldPhone: 'խնդրում ենք գրել հեռախոսահամար, օրինակ՝ +374\u00a099\u00a0123456',
  fieldCard: 'այստեղ քարտի համար մի գրեք. այն ավելի ուշ կհարցնի բանկը',
}
