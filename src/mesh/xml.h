// Tags of XML, as far as VTK's files need them: no entities, no text between tags.
#ifndef MESH_XML_H
#define MESH_XML_H

#include "mesh/file.h"

#define MOST_ATTRIBUTES 16
#define XML_WORD 40

typedef struct XmlTag
{
    char name[XML_WORD]; // "/Piece" where it ends
    char key[MOST_ATTRIBUTES][XML_WORD], value[MOST_ATTRIBUTES][XML_WORD];
    int attributes;
    bool empty; // ends at once
} XmlTag;

void xmlSkipSpace(Reader *reader);

// Passes all up to the next tag and reads that. False: the result says why.
bool xmlTag(Reader *reader, XmlTag *tag);
const char *xmlAttribute(const XmlTag *tag, const char *key, const char *otherwise);
bool xmlWhole(Reader *reader, const XmlTag *tag, const char *key, long long most, long long *value); // from 0 on

#endif
