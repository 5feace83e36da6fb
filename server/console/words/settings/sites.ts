import { family } from '../family.ts'

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
