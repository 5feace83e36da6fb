import { family } from '../family.ts'

/** Where the events of a shop go, and the keys of its back end. */
export const ACCESS_SETTING_WORDS = family({
  en: {
    token_active: 'works',
    token_replaced: 'replaced, still works',
    token_ended: 'has ended',
    token_revoked: 'revoked',
    setEvents: 'Events',
    setOrderBook: 'The order book of this service',
    setTokens: 'API tokens',
    setTokenWaits: 'waits after a restore',
    setTokenListed: 'not looked at since a restore',
    setTokenOld: 'no refund limit: it was issued by an earlier version',
    setRevoked: 'revoked',
  },
  ru: {
    token_active: 'действует',
    token_replaced: 'заменён, ещё действует',
    token_ended: 'закончился',
    token_revoked: 'отозван',
    setEvents: 'События',
    setOrderBook: 'Книга заказов этого сервиса',
    setTokens: 'Токены API',
    setTokenWaits: 'ждёт после восстановления',
    setTokenListed: 'не проверен после восстановления',
    setTokenOld: 'без предела возвратов: выдан более ранней версией',
    setRevoked: 'отозван',
  },
  hy: {
    token_active: 'գործում է',
    token_replaced: 'փոխարինված է, դեռ գործում է',
    token_ended: 'ավարտված է',
    token_revoked: 'չեղարկված է',
    setEvents: 'Իրադարձություններ',
    setOrderBook: 'Այս ծառայության պատվերների գիրքը',
    setTokens: 'API թոքեններ',
    setTokenWaits: 'սպասում է վերականգնումից հետո',
    setTokenListed: 'վերականգնումից հետո ստուգված չէ',
    setTokenOld: 'առանց վերադարձի սահմանի՝ տրվել է ավելի վաղ տարբերակով',
    setRevoked: 'չեղարկված',
  },
})
