import { family } from '../family.ts'

export const SIGN_IN_WORDS = family({
  en: {
    welcomeText: 'For the people who run the shops and this service.',
    linkNeeded: 'New here? Open the link that an administrator has given you. It works once, for a day.',
    signIn: 'Sign in',
    signInPasskey: 'Sign in with a passkey',
    signInWrong: 'The e-mail address or the password is wrong.',
    signInBusyTitle: 'Very many people are signing in',
    signInBusyText:
      'Your password was not checked. Wait {seconds, plural, one {# second} other {# seconds}}, then sign in again. A passkey, or a browser in which you have signed in before, does not have to wait.',
    email: 'E-mail address',
    password: 'Password',
    startAgain: 'Start again',
    code: 'Code',
    codeTitle: 'Your code',
    codeText: 'Open your authenticator app and type the six digits that it shows. A recovery code works too.',
    codeWrong: 'This code is wrong, or its time is over. Type the one that the app shows now.',
    codeUsed: 'This code was used already. Wait for the next one.',
    clockFast:
      'The clock of your phone is about {minutes, plural, one {# minute} other {# minutes}} fast, so its codes are wrong. Let the phone set its time by itself, then type a new code.',
    clockSlow:
      'The clock of your phone is about {minutes, plural, one {# minute} other {# minutes}} slow, so its codes are wrong. Let the phone set its time by itself, then type a new code.',
    stepOver: 'This sign-in has taken too long. Start again.',
    passkeyWrong: 'This passkey is not known here.',
    passkeyFailed: 'The passkey was not used. Try again, or sign in another way.',
    linkOverTitle: 'This link has ended',
    linkOverText:
      'A link works once, for a day. If you have set up how to sign in, sign in. Otherwise ask an administrator for a new link.',
    setUpTitle: 'Welcome, {name}',
    setUpText:
      'Choose how you will sign in. A passkey is the easiest: your finger, your face or the PIN of this device.',
    setUpPasskey: 'Use a passkey',
    setUpPassword: 'With a password and an app',
    passwordHint:
      'At least {chars, plural, one {# character} other {# characters}}. Several words are easy to remember.',
    password_short: 'The password needs at least {chars, plural, one {# character} other {# characters}}.',
    password_long: 'The password may have at most {chars, plural, one {# character} other {# characters}}.',
    password_named: 'The password is made of your name or address. Choose another one.',
    appText: 'Add this service to an authenticator app, and type the code that the app shows.',
    appLink: 'Add it to the app on this device',
    appCode: 'QR code for the authenticator app',
    appSecret: 'Or type this into the app:',
    setUpDone: 'Done',
    recoveryTitle: 'Keep these codes',
    recoveryText:
      'If your phone is lost, each of them counts once in the place of a code. They are shown only now: write them down or print this page.',
    recoveryDone: 'I have them, go on',
    againTitle: 'Once more: is it you?',
    againPasskey: 'Your passkey is asked when you press the button.',
    againCode: 'Type a code of your authenticator app.',
    againNeither:
      'This asks once more who you are, and you have neither a passkey for this address nor an app with codes. Ask an administrator.',
    againNeeded: 'Before this is done, show once more that it is you.',
    againTooMany:
      'Too many wrong codes. Wait {seconds, plural, one {# second} other {# seconds}}, and send it then.',
    againOver:
      'Five minutes have passed, or something was changed. Look at it again, and show once more that it is you.',
  },
  ru: {
    welcomeText: 'Для тех, кто ведёт магазины и этот сервис.',
    linkNeeded:
      'Вы здесь впервые? Откройте ссылку, которую вам дал администратор. Она действует один раз, в течение суток.',
    signIn: 'Войти',
    signInPasskey: 'Войти с ключом доступа',
    signInWrong: 'Неверный адрес почты или пароль.',
    signInBusyTitle: 'Сейчас входит очень много людей',
    signInBusyText:
      'Ваш пароль не проверен. Подождите {seconds, plural, one {# секунду} few {# секунды} many {# секунд} other {# секунды}} и войдите снова. С ключом доступа или в браузере, где вы уже входили, ждать не нужно.',
    email: 'Адрес почты',
    password: 'Пароль',
    startAgain: 'Начать заново',
    code: 'Код',
    codeTitle: 'Ваш код',
    codeText: 'Откройте приложение с кодами и введите шесть цифр. Подойдёт и код восстановления.',
    codeWrong: 'Код неверный или устарел. Введите тот, который приложение показывает сейчас.',
    codeUsed: 'Этот код уже использован. Дождитесь следующего.',
    clockFast:
      'Часы вашего телефона спешат примерно на {minutes, plural, one {# минуту} few {# минуты} many {# минут} other {# минуты}}, поэтому коды неверны. Включите на телефоне автоматическую установку времени и введите новый код.',
    clockSlow:
      'Часы вашего телефона отстают примерно на {minutes, plural, one {# минуту} few {# минуты} many {# минут} other {# минуты}}, поэтому коды неверны. Включите на телефоне автоматическую установку времени и введите новый код.',
    stepOver: 'Вход занял слишком много времени. Начните заново.',
    passkeyWrong: 'Этот ключ доступа здесь неизвестен.',
    passkeyFailed: 'Ключ доступа не использован. Попробуйте снова или войдите другим способом.',
    linkOverTitle: 'Ссылка больше не действует',
    linkOverText:
      'Ссылка действует один раз, в течение суток. Если вы уже настроили вход, войдите. Иначе попросите администратора о новой ссылке.',
    setUpTitle: 'Здравствуйте, {name}',
    setUpText:
      'Выберите, как вы будете входить. Проще всего ключ доступа: палец, лицо или PIN этого устройства.',
    setUpPasskey: 'Использовать ключ доступа',
    setUpPassword: 'С паролем и приложением',
    passwordHint:
      'Не меньше {chars, plural, one {# знака} few {# знаков} many {# знаков} other {# знака}}. Несколько слов легко запомнить.',
    password_short:
      'В пароле должно быть не меньше {chars, plural, one {# знака} few {# знаков} many {# знаков} other {# знака}}.',
    password_long:
      'В пароле может быть не больше {chars, plural, one {# знака} few {# знаков} many {# знаков} other {# знака}}.',
    password_named: 'Пароль составлен из вашего имени или адреса. Выберите другой.',
    appText: 'Добавьте этот сервис в приложение с кодами и введите код, который оно покажет.',
    appLink: 'Добавить в приложение на этом устройстве',
    appCode: 'QR-код для приложения с кодами',
    appSecret: 'Или введите в приложение:',
    setUpDone: 'Готово',
    recoveryTitle: 'Сохраните эти коды',
    recoveryText:
      'Если телефон потерян, каждый из них один раз заменит код. Они показаны только сейчас: запишите их или распечатайте страницу.',
    recoveryDone: 'Сохранил, дальше',
    againTitle: 'Ещё раз: это вы?',
    againPasskey: 'После нажатия кнопки понадобится ваш ключ доступа.',
    againCode: 'Введите код из приложения.',
    againNeither:
      'Здесь нужно ещё раз подтвердить, что это вы, а у вас нет ни ключа доступа для этого адреса, ни приложения с кодами. Обратитесь к администратору.',
    againNeeded: 'Прежде чем это выполнить, ещё раз подтвердите, что это вы.',
    againTooMany:
      'Слишком много неверных кодов. Подождите {seconds, plural, one {# секунду} few {# секунды} many {# секунд} other {# секунды}} и отправьте снова.',
    againOver:
      'Прошло пять минут, или что-то изменилось. Посмотрите ещё раз и снова подтвердите, что это вы.',
  },
  hy: {
    welcomeText: 'Խանութները և այս ծառայությունը վարողների համար։',
    linkNeeded: 'Առաջի՞ն անգամ եք այստեղ։ Բացեք ադմինիստրատորի տված հղումը. այն գործում է մեկ անգամ, մեկ օր։',
    signIn: 'Մուտք',
    signInPasskey: 'Մուտք անցաբանալիով',
    signInWrong: 'Էլ. փոստի հասցեն կամ գաղտնաբառը սխալ է։',
    signInBusyTitle: 'Այս պահին շատ մարդիկ են մուտք գործում',
    signInBusyText:
      'Ձեր գաղտնաբառը չի ստուգվել։ Սպասեք {seconds} վայրկյան և նորից մուտք գործեք։ Անցաբանալիով, կամ այն դիտարկիչում, որտեղ նախկինում մուտք եք գործել, սպասել պետք չէ։',
    email: 'Էլ. փոստի հասցե',
    password: 'Գաղտնաբառ',
    startAgain: 'Սկսել նորից',
    code: 'Կոդ',
    codeTitle: 'Ձեր կոդը',
    codeText: 'Բացեք կոդերի հավելվածը և մուտքագրեք վեց թվանշանը։ Կարող եք գրել նաև վերականգնման կոդ։',
    codeWrong: 'Կոդը սխալ է կամ ժամկետանց։ Մուտքագրեք այն, որը հավելվածը ցույց է տալիս հիմա։',
    codeUsed: 'Այս կոդն արդեն օգտագործված է։ Սպասեք հաջորդին։',
    clockFast:
      'Ձեր հեռախոսի ժամացույցը մոտ {minutes} րոպե առաջ է, ուստի կոդերը սխալ են։ Հեռախոսում միացրեք ժամի ինքնաբերաբար կարգավորումը և մուտքագրեք նոր կոդ։',
    clockSlow:
      'Ձեր հեռախոսի ժամացույցը մոտ {minutes} րոպե հետ է, ուստի կոդերը սխալ են։ Հեռախոսում միացրեք ժամի ինքնաբերաբար կարգավորումը և մուտքագրեք նոր կոդ։',
    stepOver: 'Մուտքը չափազանց երկար տևեց։ Սկսեք նորից։',
    passkeyWrong: 'Այս անցաբանալին այստեղ հայտնի չէ։',
    passkeyFailed: 'Անցաբանալին չօգտագործվեց։ Նորից փորձեք կամ մուտք գործեք այլ կերպ։',
    linkOverTitle: 'Հղումն այլևս չի գործում',
    linkOverText:
      'Հղումը գործում է մեկ անգամ, մեկ օր։ Եթե արդեն կարգավորել եք մուտքը, մուտք գործեք։ Հակառակ դեպքում ադմինիստրատորից խնդրեք նոր հղում։',
    setUpTitle: 'Բարի գալուստ, {name}',
    setUpText:
      'Ընտրեք, թե ինչպես եք մուտք գործելու։ Ամենահեշտը անցաբանալին է՝ ձեր մատը, դեմքը կամ այս սարքի PIN-ը։',
    setUpPasskey: 'Օգտագործել անցաբանալի',
    setUpPassword: 'Գաղտնաբառով և հավելվածով',
    passwordHint: 'Առնվազն {chars} նիշ։ Մի քանի բառ հեշտ է հիշել։',
    password_short: 'Գաղտնաբառը պետք է ունենա առնվազն {chars} նիշ։',
    password_long: 'Գաղտնաբառը կարող է ունենալ առավելագույնը {chars} նիշ։',
    password_named: 'Գաղտնաբառը կազմված է ձեր անունից կամ հասցեից։ Ընտրեք ուրիշը։',
    appText: 'Ավելացրեք այս ծառայությունը կոդերի հավելվածում և մուտքագրեք նրա ցույց տված կոդը։',
    appLink: 'Ավելացնել այս սարքի հավելվածում',
    appCode: 'QR կոդ՝ կոդերի հավելվածի համար',
    appSecret: 'Կամ հավելվածում մուտքագրեք՝',
    setUpDone: 'Պատրաստ է',
    recoveryTitle: 'Պահեք այս կոդերը',
    recoveryText:
      'Եթե հեռախոսը կորչի, սրանցից յուրաքանչյուրը մեկ անգամ կփոխարինի կոդին։ Դրանք ցուցադրվում են միայն հիմա. գրի առեք կամ տպեք այս էջը։',
    recoveryDone: 'Պահեցի, առաջ',
    againTitle: 'Եվս մեկ անգամ՝ դո՞ւք եք',
    againPasskey: 'Կոճակը սեղմելիս պետք կլինի ձեր անցաբանալին։',
    againCode: 'Մուտքագրեք հավելվածի կոդը։',
    againNeither:
      'Սրա համար պետք է եվս մեկ անգամ հաստատել, որ դուք եք, իսկ դուք ո՛չ այս հասցեի անցաբանալի ունեք, ո՛չ կոդերի հավելված։ Դիմեք ադմինիստրատորին։',
    againNeeded: 'Մինչև դա կատարելը ևս մեկ անգամ հաստատեք, որ դուք եք։',
    againTooMany: 'Չափազանց շատ սխալ կոդեր։ Սպասեք {seconds} վայրկյան և նորից ուղարկեք։',
    againOver: 'Անցել է հինգ րոպե, կամ ինչ-որ բան փոխվել է։ Նորից նայեք և կրկին հաստատեք, որ դուք եք։',
  },
})
