import { family } from '../family.ts'

/** Lists over all shops. */
export const LIST_SETTING_WORDS = family({
  en: {
    operationsTitle: 'Refunds and other operations',
    receiptListTitle: 'Receipts',
    listAll: 'All',
    listEmpty: 'There is nothing of this kind.',
    listMore: '{count, plural, one {The newest one is shown.} other {The # newest are shown.}}',
  },
  ru: {
    operationsTitle: 'Возвраты и другие операции',
    receiptListTitle: 'Чеки',
    listAll: 'Все',
    listEmpty: 'Ничего такого нет.',
    listMore: 'Показано самых новых: {count}.',
  },
  hy: {
    operationsTitle: 'Վերադարձներ և այլ գործողություններ',
    receiptListTitle: 'Կտրոններ',
    listAll: 'Բոլորը',
    listEmpty: 'Այսպիսի ոչինչ չկա։',
    listMore: 'Ցույց են տրված {count} նորագույնները։',
  },
})
