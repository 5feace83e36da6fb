import { family } from './family.ts'

/** One shop and the list of shops. */
export const SHOP_WORDS = family({
  en: {
    shopsTitle: 'Shops',
    shopsNone: 'No shop has been added yet.',
    myShopTitle: 'My shop',
    shopDaily: 'Every day',
    shopAbout: 'About the shop',
    shopTechnical: 'For programmers',
    merchantId: 'Number of the shop',
  },
  ru: {
    shopsTitle: 'Магазины',
    shopsNone: 'Магазинов пока нет.',
    myShopTitle: 'Мой магазин',
    shopDaily: 'Каждый день',
    shopAbout: 'О магазине',
    shopTechnical: 'Для программиста',
    merchantId: 'Номер магазина',
  },
  hy: {
    shopsTitle: 'Խանութներ',
    shopsNone: 'Դեռ խանութ չկա։',
    myShopTitle: 'Իմ խանութը',
    shopDaily: 'Ամեն օր',
    shopAbout: 'Խանութի մասին',
    shopTechnical: 'Ծրագրավորողի համար',
    merchantId: 'Խանութի համարը',
  },
})
