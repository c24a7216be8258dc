/* The container of model files and checkpoints. */
#include "models/container.h"

#include "base/crc32c.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "model files are written as numbers lie in memory, so the machine must be little-endian"
#endif

/* ---- Writing ---- */

void sg_pack_begin(sg_pack *pack, uint32_t kind)
{
    if (pack->parts == SG_PARTS_MOST) {
        pack->failed = 1;
        return;
    }
    pack->table[pack->parts++] = (sg_model_part){.kind = kind};
}

void sg_pack_put(sg_pack *pack, const void *data, size_t size)
{
    if (pack->failed || !size) return;
    if (sg_grow(&pack->data, &pack->capacity, pack->size + size, 1)) {
        pack->failed = 1;
        return;
    }
    memcpy(pack->data + pack->size, data, size);
    pack->size += size;
    pack->table[pack->parts - 1].size += size;
}

void sg_pack_numbers(sg_pack *pack, const sg_number *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++) sg_pack_put(pack, numbers[i].at, numbers[i].size);
}

static void seal(sg_pack *pack, const char *magic, sg_model_header *header)
{
    const size_t table_size = pack->parts * sizeof *pack->table;
    size_t at = 0;
    for (uint32_t i = 0; i < pack->parts; i++) {
        pack->table[i].crc = sg_crc32c(0, pack->data + at, (size_t)pack->table[i].size);
        at += (size_t)pack->table[i].size;
    }
    *header = (sg_model_header){
        .version = SG_MODEL_VERSION, .parts = pack->parts, .file_size = sizeof *header + table_size + pack->size};
    memcpy(header->magic, magic, sizeof header->magic);
    header->crc = sg_crc32c(sg_crc32c(0, header, sizeof *header), pack->table, table_size);
}

int sg_pack_finish(sg_pack *pack, const char *magic, const char *path, scadyg_error *error)
{
    int status = pack->failed ? sg_fail_memory(error, "the model file") : SCADYG_OK;
    if (!status) {
        sg_output output;
        sg_model_header header;
        const size_t table_size = pack->parts * sizeof *pack->table;
        seal(pack, magic, &header);
        status = sg_output_open(&output, path, error);
        if (!status) {
            status = sg_output_write_at(&output, 0, &header, sizeof header, error);
            if (!status) status = sg_output_write_at(&output, sizeof header, pack->table, table_size, error);
            if (!status)
                status = sg_output_write_at(&output, sizeof header + table_size, pack->data, pack->size, error);
            if (!status) status = sg_output_commit(&output, error);
            sg_output_abandon(&output);
        }
    }
    free(pack->data);
    *pack = (sg_pack){0};
    return status;
}

int sg_pack_checksum(sg_pack *pack, const char *magic, uint32_t *checksum, scadyg_error *error)
{
    sg_model_header header = {0};
    int status = pack->failed ? sg_fail_memory(error, "the model file") : SCADYG_OK;
    if (!status) seal(pack, magic, &header);
    *checksum = header.crc;
    free(pack->data);
    *pack = (sg_pack){0};
    return status;
}

/* ---- Reading ---- */

void sg_slice_numbers(sg_slice *slice, const sg_number *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        slice->bad |= numbers[i].size > slice->size - slice->at;
        if (slice->bad) {
            memset(numbers[i].at, 0, numbers[i].size);
            continue;
        }
        memcpy(numbers[i].at, slice->data + slice->at, numbers[i].size);
        slice->at += numbers[i].size;
    }
}

int sg_unpack_damaged(const sg_unpack *unpack, const char *reason, scadyg_error *error)
{
    return sg_fail(error, SCADYG_E_FORMAT, "%s is damaged: %s", unpack->path, reason);
}

static int read_table(sg_unpack *unpack, const sg_model_header *header, scadyg_error *error)
{
    const unsigned char *data = unpack->mapping.data;
    size_t at = sizeof *header + header->parts * sizeof(sg_model_part);
    uint32_t before = 0;
    for (uint32_t i = 0; i < header->parts; i++) {
        sg_model_part part;
        memcpy(&part, data + sizeof *header + i * sizeof part, sizeof part);
        if (part.kind <= before || part.kind > SG_PART_LAST)
            return sg_unpack_damaged(unpack, "it has an unknown section", error);
        before = part.kind;
        if (part.size > unpack->mapping.size - at) return sg_unpack_damaged(unpack, "a section is cut off", error);
        if (sg_crc32c(0, data + at, (size_t)part.size) != part.crc)
            return sg_unpack_damaged(unpack, "the checksum of a section is wrong", error);
        unpack->parts[part.kind] = (sg_slice){.data = data + at, .size = (size_t)part.size};
        at += (size_t)part.size;
    }
    if (at != unpack->mapping.size) return sg_unpack_damaged(unpack, "there is something behind its end", error);
    return SCADYG_OK;
}

static int read_header(sg_unpack *unpack, const char *magic, const char *what, scadyg_error *error)
{
    sg_model_header header;
    const sg_mapping *mapping = &unpack->mapping;
    unpack->is_checkpoint = mapping->size >= sizeof header.magic &&
                            memcmp(mapping->data, SG_CHECKPOINT_MAGIC, sizeof header.magic) == 0;
    if (!magic) magic = unpack->is_checkpoint ? SG_CHECKPOINT_MAGIC : SG_MODEL_MAGIC;
    if (mapping->size < sizeof header.magic || memcmp(mapping->data, magic, sizeof header.magic) != 0)
        return sg_fail(error, SCADYG_E_FORMAT, "%s is not %s", unpack->path, what);
    if (mapping->size < sizeof header) return sg_unpack_damaged(unpack, "the header is cut off", error);
    memcpy(&header, mapping->data, sizeof header);
    if (header.version > SG_MODEL_VERSION)
        return sg_fail(error, SCADYG_E_VERSION,
                       "%s was written by a newer version of scadyg (format %u; this one reads %u)", unpack->path,
                       header.version, SG_MODEL_VERSION);
    if (header.version < SG_MODEL_VERSION)
        return sg_fail(
            error, SCADYG_E_VERSION,
            "%s was written by an older version of scadyg (format %u; this one reads %u): train it again",
            unpack->path, header.version, SG_MODEL_VERSION);
    if (header.file_size != mapping->size)
        return sg_fail(error, SCADYG_E_FORMAT, "%s is damaged: it has %zu byte%s where %llu were written",
                       unpack->path, mapping->size, sg_plural(mapping->size), (unsigned long long)header.file_size);
    const size_t table_size = header.parts * sizeof(sg_model_part);
    if (header.parts > SG_PARTS_MOST || table_size > mapping->size - sizeof header)
        return sg_unpack_damaged(unpack, "the table of sections is cut off", error);
    const uint32_t crc = header.crc;
    header.crc = 0;
    if (sg_crc32c(sg_crc32c(0, &header, sizeof header), mapping->data + sizeof header, table_size) != crc)
        return sg_unpack_damaged(unpack, "the header's checksum is wrong", error);
    return read_table(unpack, &header, error);
}

int sg_unpack_open(sg_unpack *unpack, const char *magic, const char *what, const char *path, scadyg_error *error)
{
    *unpack = (sg_unpack){.path = path};
    int status = sg_map(&unpack->mapping, path, error);
    if (status) return status;
    status = read_header(unpack, magic, what, error);
    return status ? sg_unpack_close(unpack, status, error) : SCADYG_OK;
}

uint32_t sg_unpack_checksum(const sg_unpack *unpack)
{
    sg_model_header header;
    memcpy(&header, unpack->mapping.data, sizeof header);
    return header.crc;
}

int sg_unpack_close(sg_unpack *unpack, int status, scadyg_error *error)
{
    const int changed = sg_mapping_check(&unpack->mapping, unpack->path, error);
    sg_unmap(&unpack->mapping);
    return changed ? changed : status;
}
