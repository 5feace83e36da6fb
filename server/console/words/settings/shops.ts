import { family } from '../family.ts'

/** A shop itself: its name, its state, and how its buyers pay. */
export const SHOP_SETTING_WORDS = family({
  en: {
    setShops: 'Shops',
    setShop: 'The shop',
    setName: 'Name',
    setState: 'State',
    callbackUrl: 'Callback URL',
    merchant_open: 'takes payments',
    merchant_paused: 'paused',
    merchant_closed: 'closed',
    setRoutes: 'Ways to pay',
  },
  ru: {
    setShops: 'Магазины',
    setShop: 'Магазин',
    setName: 'Название',
    setState: 'Состояние',
    callbackUrl: 'Адрес для событий',
    merchant_open: 'принимает платежи',
    merchant_paused: 'приостановлен',
    merchant_closed: 'закрыт',
    setRoutes: 'Способы оплаты',
  },
  hy: {
    setShops: 'Խանութներ',
    setShop: 'Խանութ',
    setName: 'Անվանում',
    setState: 'Վիճակ',
    callbackUrl: 'Իրադարձությունների հասցե',
    merchant_open: 'ընդունում է վճարումներ',
    merchant_paused: 'դադարեցված է',
    merchant_closed: 'փակ է',
    setRoutes: 'Վճարման եղանակներ',
  },
})

/** The sites of a shop, and the public keys of its pay buttons. */
export const SITE_SETTING_WORDS = family({
  en: {
    setSites: 'Origins',
    setAllowed: 'may call the API',
    setReviewed: 'reviewed',
    setKeys: 'Pay buttons',
    setRoute: 'Provider route',
  },
  ru: {
    setSites: 'Источники',
    setAllowed: 'может вызывать API',
    setReviewed: 'проверен',
    setKeys: 'Кнопки оплаты',
    setRoute: 'Маршрут провайдера',
  },
  hy: {
    setSites: 'Կայքերի աղբյուրներ',
    setAllowed: 'կարող է կանչել API-ն',
    setReviewed: 'ստուգված է',
    setKeys: 'Վճարման կոճակներ',
    setRoute: 'Մատակարարի ուղի',
  },
})
