import { family } from './family.ts'

/** One shop and the list of shops. */
export const SHOP_WORDS = family({
  en: {
    shopsTitle: 'Shops',
    shopsNone: 'No shop has been added yet.',
    myShopTitle: 'My shop',
    merchantId: 'Number of the shop',
  },
  ru: {
    shopsTitle: 'Магазины',
    shopsNone: 'Магазинов пока нет.',
    myShopTitle: 'Мой магазин',
    merchantId: 'Номер магазина',
  },
  hy: {
    shopsTitle: 'Խանութներ',
    shopsNone: 'Դեռ խանութ չկա։',
    myShopTitle: 'Իմ խանութը',
    merchantId: 'Խանութի համարը',
  },
})
