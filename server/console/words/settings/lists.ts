import { family } from '../family.ts'

/** Lists over all shops. */
export const LIST_SETTING_WORDS = family({
  en: {
    operationsTitle: 'Refunds and other operations',
    receiptsTitle: 'Receipts',
    listAll: 'All',
    listEmpty: 'There is nothing of this kind.',
    listMore: 'The {count} newest are shown.',
  },
  ru: {
    operationsTitle: 'Возвраты и другие операции',
    receiptsTitle: 'Чеки',
    listAll: 'Все',
    listEmpty: 'Ничего такого нет.',
    listMore: 'Показаны {count} новейших.',
  },
  hy: {
    operationsTitle: 'Վերադարձներ և այլ գործողություններ',
    receiptsTitle: 'Կտրոններ',
    listAll: 'Բոլորը',
    listEmpty: 'Այսպիսի ոչինչ չկա։',
    listMore: 'Ցույց են տրված {count} նորագույնները։',
  },
})
