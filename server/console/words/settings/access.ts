import { family } from '../family.ts'

/** Where the events of a shop go, and the keys of its back end. */
export const ACCESS_SETTING_WORDS = family({
  en: {
    setMerchantNoSecret:
      'The shop is there. A limit is set, so the secret that signs events is made with the first callback URL, which needs a second person.',
    setMerchantCallbackWaits:
      'The shop is there. Its callback URL and the secret wait for a second person, under Approvals.',
    token_active: 'works',
    token_replaced: 'replaced, still works',
    token_ended: 'has ended',
    token_revoked: 'revoked',
    setEvents: 'Events',
    setOrderBook: 'The order book of this service',
    setCallbackNone: 'No callback URL is set yet.',
    setVerifyBook: 'The order book gets the events. It is checked under “Going live”.',
    setVerified: 'The callback URL passed: it accepted the right events and rejected the others.',
    setNotVerified: 'The callback URL did not pass. What to do stands at each check.',
    set_callback_verify: 'Check the callback URL',
    set_callback_verify_lead: 'Sends test events to it, right ones and wrong ones, and looks at the answers.',
    setTokens: 'API tokens',
    setTokenWaits: 'waits after a restore',
    setTokenListed: 'not looked at since a restore',
    setTokenOld: 'no refund limit: it was issued by an earlier version',
    setRevoked: 'revoked',
  },
  ru: {
    setMerchantNoSecret:
      'Магазин создан. Задан порог, поэтому секрет событий появится с первым адресом для событий, для которого нужен второй человек.',
    setMerchantCallbackWaits:
      'Магазин создан. Его адрес для событий и секрет ждут второго человека в «Согласованиях».',
    token_active: 'действует',
    token_replaced: 'заменён, ещё действует',
    token_ended: 'закончился',
    token_revoked: 'отозван',
    setEvents: 'События',
    setOrderBook: 'Книга заказов этого сервиса',
    setCallbackNone: 'Адрес для событий ещё не задан.',
    setVerifyBook: 'События получает книга заказов. Она проверяется в «Запуске».',
    setVerified: 'Адрес прошёл проверку: принял верные события и отклонил остальные.',
    setNotVerified: 'Адрес не прошёл проверку. Что делать, написано у каждой проверки.',
    set_callback_verify: 'Проверить адрес для событий',
    set_callback_verify_lead: 'Отправляет туда пробные события, верные и неверные, и смотрит на ответы.',
    setTokens: 'Токены API',
    setTokenWaits: 'ждёт после восстановления',
    setTokenListed: 'не проверен после восстановления',
    setTokenOld: 'без предела возвратов: выдан более ранней версией',
    setRevoked: 'отозван',
  },
  hy: {
    setMerchantNoSecret:
      'Խանութը ստեղծված է։ Սահմանված է շեմ, ուստի իրադարձությունների գաղտնիքը կստեղծվի առաջին հասցեի հետ, որի համար պետք է երկրորդ մարդ։',
    setMerchantCallbackWaits:
      'Խանութը ստեղծված է։ Իրադարձությունների հասցեն և գաղտնիքը սպասում են երկրորդ մարդու՝ «Հաստատումներում»։',
    token_active: 'գործում է',
    token_replaced: 'փոխարինված է, դեռ գործում է',
    token_ended: 'ավարտված է',
    token_revoked: 'չեղարկված է',
    setEvents: 'Իրադարձություններ',
    setOrderBook: 'Այս ծառայության պատվերների գիրքը',
    setCallbackNone: 'Իրադարձությունների հասցեն դեռ սահմանված չէ։',
    setVerifyBook: 'Իրադարձություններն ստանում է պատվերների գիրքը։ Այն ստուգվում է գործարկման էջում։',
    setVerified: 'Հասցեն անցավ ստուգումը՝ ընդունեց ճիշտ իրադարձությունները և մերժեց մյուսները։',
    setNotVerified: 'Հասցեն չանցավ ստուգումը։ Ինչ անել՝ գրված է ամեն ստուգման մոտ։',
    set_callback_verify: 'Ստուգել իրադարձությունների հասցեն',
    set_callback_verify_lead: 'Ուղարկում է փորձնական իրադարձություններ՝ ճիշտ և սխալ, և նայում պատասխաններին։',
    setTokens: 'API թոքեններ',
    setTokenWaits: 'սպասում է վերականգնումից հետո',
    setTokenListed: 'վերականգնումից հետո ստուգված չէ',
    setTokenOld: 'առանց վերադարձի սահմանի՝ տրվել է ավելի վաղ տարբերակով',
    setRevoked: 'չեղարկված',
  },
})
