import { family } from '../family.ts'

/** Lists over all shops. */
export const LIST_SETTING_WORDS = family({
  en: {
    operationsTitle: 'Refunds and other operations',
    receiptListTitle: 'Receipts',
    listAll: 'All',
    listEmpty: 'There is nothing of this kind.',
    listMore: 'The {count} newest are shown.',
  },
  ru: {
    operationsTitle: 'Возвраты и другие операции',
    receiptListTitle: 'Чеки',
    listAll: 'Все',
    listEmpty: 'Ничего такого нет.',
    listMore: 'Показаны {count} новейших.',
  },
  hy: {
    operationsTitle: 'Վերադարձներ և այլ գործողություններ',
    receiptListTitle: 'Կտրոններ',
    listAll: 'Բոլորը',
    listEmpty: 'Այսպիսի ոչինչ չկա։',
    listMore: 'Ցույց են տրված {count} նորագույնները։',
  },
})
