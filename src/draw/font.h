// Inside the draw room: a font of strokes. A glyph is a list of strokes separated by blanks, a stroke a list of points,
// a point two letters for x and y in base 36 (0-9, A-Z). '~' in front of a stroke makes it a smooth curve through its
// points. Baseline at y 7, small letters to 27, capitals to 35, descenders to 0.
#ifndef DRAW_FONT_H
#define DRAW_FONT_H

#define FONT_BASELINE 7
#define FONT_CAPITAL 28 // height of a capital letter
#define FONT_GAP 8      // between glyphs
#define FONT_BLANK 4    // width of a blank

#define FONT_FIRST 32
#define FONT_LAST 126

static const char *const fontGlyphs[FONT_LAST - FONT_FIRST + 1] = {
    "",                                         // blank
    "0Z0G 0807",                                // !
    "0Z0R 5Z5R",                                // "
    "377Z B7FZ 1QIQ 0GHG",                      // #
    "~HVEYAZ4X2S4OALGIIEG9A7481C A3AZ",         // $
    "~3Z6V3R0V3Z ~FFIBF7CBFF IZ07",             // %
    "~J75O3T6YAZDVBQ3J0D3887EBIJ",              // &
    "0Z0R",                                     // '
    "~6Z2T0K2B65",                              // (
    "~0Z4T6K4B05",                              // )
    "5W5I 0TAL 0LAT",                           // *
    "8Q8A 0IGI",                                // +
    "2803",                                     // ,
    "0HAH",                                     // -
    "0807",                                     // .
    "03CZ",                                     // /
    "~8ZEVGLEB872B0L2V8Z",                      // 0
    "0T7Z77",                                   // 1
    "~0S2X8ZEXFRDM07 07G7",                     // 2
    "~1W8ZEWEQ7M ~7MEJGED977280B",              // 3
    "CZ0FHF CZC7",                              // 4
    "EZ2Z1L ~1L5O9OELGGEA87380B",               // 5
    "~EX9Z3V0K2A87EAGGEM8P3M0H",                // 6
    "0ZGZ57",                                   // 7
    "~8ZDXESDN8M3N2S3X8Z ~8MEKGEE987290E2K8M",  // 8
    "~2977DBGMEW8Z2W0Q2K8HDKGP",                // 9
    "0807 0N0M",                                // :
    "2803 2N2M",                                // ;
    "GR0IG9",                                   // <
    "0NGN 0DGD",                                // =
    "0RGI09",                                   // >
    "~0T2X7ZCXDSCN7K 7K7F 7877",                // ?
    "~CNHICD7ICN HNHG ~HGJDMFNLKUCZ4U0K4AC5I7", // @
    "07AZK7 3GHG",                              // A
    "070ZAZ ~AZFXHSFNAM AM0M ~AMHKJEH9A7 A707", // B
    "~IUFXAZ4V1L4BA7F9IC",                      // C
    "070Z8Z ~8ZFWJLFA87 8707",                  // D
    "HZ0Z07H7 0MEM",                            // E
    "HZ0Z07 0MEM",                              // F
    "~IUFXAZ4V1L4BA7F8I9 I9IKBK",               // G
    "070Z J7JZ 0MJM",                           // H
    "07A7 0ZAZ 5Z57",                           // I
    "BZBD ~BDA967280C",                         // J
    "070Z HZ0H 6NI7",                           // K
    "0Z07F7",                                   // L
    "070ZAFKZK7",                               // M
    "070ZJ7JZ",                                 // N
    "~AZGVJLGBA74B1L4VAZ",                      // O
    "070ZAZ ~AZGXIRGLAJ AJ0J",                  // P
    "~AZGVJLGBA74B1L4VAZ CEJ5",                 // Q
    "070ZAZ ~AZGXIRGLAJ AJ0J AJI7",             // R
    "~HVEYAZ4X2S4OALGIIEG9A7481C",              // S
    "0ZKZ AZA7",                                // T
    "0Z0G ~0G2A97GAIG IGIZ",                    // U
    "0ZA7KZ",                                   // V
    "0Z67DXK7QZ",                               // W
    "0ZI7 IZ07",                                // X
    "0ZALKZ ALA7",                              // Y
    "0ZIZ07I7",                                 // Z
    "6Z0Z0565",                                 // [
    "0ZC3",                                     // backslash
    "0Z6Z6505",                                 // ]
    "0O8ZGO",                                   // ^
    "03G3",                                     // _
    "0Z5T",                                     // `
    "~8REOGHEA872A0H2O8R GRG7",                 // a
    "0Z07 ~8REOGHEA872A0H2O8R",                 // b
    "~FNCQ8R2O0H2A87C8FB",                      // c
    "~8REOGHEA872A0H2O8R GZG7",                 // d
    "0HGH ~GHEO8R2O0H2A87C8FB",                 // e
    "~BY8Z5X4T 4T47 0RAR",                      // f
    "~8REOGHEA872A0H2O8R GRG6 ~G6E28032",       // g
    "0Z07 ~0K3P8RDPEK EKE7",                    // h
    "0R07 0X0Y",                                // i
    "5R55 ~554200 5X5Y",                        // j
    "0Z07 DR0F 4JE7",                           // k
    "0Z0B ~0B1847",                             // l
    "0R07 ~0K3P7RBPCK CKC7 ~CKFPJRNPOK OKO7",   // m
    "0R07 ~0K3P8RDPEK EKE7",                    // n
    "~8REOGHEA872A0H2O8R",                      // o
    "0R00 ~8REOGHEA872A0H2O8R",                 // p
    "~8REOGHEA872A0H2O8R GRG0",                 // q
    "0R07 ~0J2O6RAQ",                           // r
    "~DOAQ7R2P1M3J7HCFDBB877380B",              // s
    "4X4B ~4B5887B8 0RAR",                      // t
    "0R0E ~0E1967B9EE ERE7",                    // u
    "0R87GR",                                   // v
    "0R57AQF7KR",                               // w
    "0RE7 ER07",                                // x
    "0R87 GR50",                                // y
    "0RER07E7",                                 // z
    "~7Z4W4P0K4F4875",                          // {
    "0Z02",                                     // |
    "~0Z3W3P7K3F3805",                          // }
    "~0G4K8ICGGK",                              // ~
};

#endif
