#include "draw/draw.h"

double colourEncode(double linear)
{
    if (!(linear > 0))
        return 0;
    if (linear >= 1)
        return 1;
    return linear <= 0.0031308 ? 12.92 * linear : 1.055 * pow(linear, 1 / 2.4) - 0.055;
}

static double decode(double encoded)
{
    return encoded <= 0.04045 ? encoded / 12.92 : pow((encoded + 0.055) / 1.055, 2.4);
}

Colour colourHex(unsigned rgb)
{
    return (Colour){ (float)decode((rgb >> 16 & 255) / 255.0), (float)decode((rgb >> 8 & 255) / 255.0),
                     (float)decode((rgb & 255) / 255.0) };
}

void colourBytes(Colour colour, uint8_t rgb[3])
{
    rgb[0] = (uint8_t)(255 * colourEncode((double)colour.r) + 0.5);
    rgb[1] = (uint8_t)(255 * colourEncode((double)colour.g) + 0.5);
    rgb[2] = (uint8_t)(255 * colourEncode((double)colour.b) + 0.5);
}

Colour colourMix(Colour a, Colour b, double share)
{
    float s = (float)share;
    return (Colour){ a.r + s * (b.r - a.r), a.g + s * (b.g - a.g), a.b + s * (b.b - a.b) };
}

// Ottosson 2020, "A perceptual color space for image processing"
static void oklab(double lightness, double a, double b, double rgb[3])
{
    double l = lightness + 0.3963377774 * a + 0.2158037573 * b;
    double m = lightness - 0.1055613458 * a - 0.0638541728 * b;
    double s = lightness - 0.0894841775 * a - 1.2914855480 * b;
    l = l * l * l;
    m = m * m * m;
    s = s * s * s;
    rgb[0] = 4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s;
    rgb[1] = -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s;
    rgb[2] = -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s;
}

static bool inGamut(const double rgb[3])
{
    return rgb[0] >= 0 && rgb[0] <= 1 && rgb[1] >= 0 && rgb[1] <= 1 && rgb[2] >= 0 && rgb[2] <= 1;
}

Colour colourOklab(double lightness, double a, double b)
{
    // bisect the chroma: lightness and hue stay
    double rgb[3], low = 0, high = 1;
    oklab(lightness, a, b, rgb);
    for (int i = 0; i < 24 && !(i == 0 && inGamut(rgb)); ++i)
    {
        double middle = 0.5 * (low + high);
        oklab(lightness, middle * a, middle * b, rgb);
        if (inGamut(rgb))
            low = middle;
        else
            high = middle;
    }
    if (!inGamut(rgb))
        oklab(lightness, low * a, low * b, rgb);
    return (Colour){ (float)rgb[0], (float)rgb[1], (float)rgb[2] };
}

Colour colourOfField(double value)
{
    if (isnan(value))
        return colourOklab(0.6, 0, 0);
    double t = minReal(maxReal(value, 0), 1), sine, cosine;
    // lightness rises evenly while the hue turns from indigo over teal and green to yellow
    sineCosine((285 - 180 * t) * PI / 180, &sine, &cosine);
    double chroma = 0.12 + 0.06 * t;
    return colourOklab(0.34 + 0.56 * t, chroma * cosine, chroma * sine);
}

Colour colourOfSeries(int index)
{
    static const unsigned colours[] = {
        0xE4572E, 0x1F9E9A, 0xF0A830, 0x5B5EA6, 0x7FB541, 0xC8497F, 0x3D8BD9, 0x8A6B4F
    };
    int count = (int)(sizeof colours / sizeof colours[0]);
    return colourHex(colours[(index % count + count) % count]);
}
